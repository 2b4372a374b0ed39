/** The package as it is published: what is in it, and that it runs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { layOut, temporaryDirectory } from './tree.ts';

const root = resolve(import.meta.dirname, '..');
let directory: { path: string; remove(): void };
let packed: string[];
beforeAll(() => {
  directory = temporaryDirectory();
  // Without scripts, because prepack would rebuild dist/ while other tests use it.
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  const files: { path: string }[] = JSON.parse(stdout || `"${stderr}"`)[0].files;
  packed = files.map(({ path }) => path);
});
afterAll(() => directory.remove());

it('holds the program, the library, its types, the page and the documents', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      ...['cofferdam', 'main', 'oauth', 'postgres', 'protocol', 'telemetry'].map(
        (name) => `dist/${name}.cjs`,
      ),
      ...['dist/text-worker.cjs', 'dist/search-worker.cjs', 'dist/charsets.cjs', 'dist/engine.mjs'],
      ...[
        'dist/types/library/index.d.ts',
        'dist/page/index.html',
        'dist/change-view.html',
        'dist/page/page.js',
        'dist/THIRD-PARTY.txt',
      ],
      ...[
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'package.json',
        'docs/CLI.md',
        'docs/LIBRARY.md',
        'docs/tools/replay.md',
      ],
    ]),
  );
});

it('holds no V8 caches, source maps, pictures, sources or tests', () => {
  const known =
    /^(?:dist\/[\w.-]+\.(?:cjs|mjs|txt)|dist\/page\/[\w.-]+|dist\/change-view\.html|dist\/types\/.*\.d\.ts|docs\/cofferdam\.(?:1|schema\.json)|docs\/.*\.md|[A-Z-]+(?:\.md)?|package\.json)$/;
  expect(packed.filter((path) => !known.test(path))).toEqual([]);
  expect(packed.filter((path) => /\.cache|\.map$|\.png$|dialects-/.test(path))).toEqual([]);
});

it('has types that need no other package', () => {
  const types = packed.filter((path) => path.endsWith('.d.ts'));
  const imports = types.flatMap((path) => {
    const code = readFileSync(join(root, path), 'utf8').replace(/\/\*.*?\*\//gs, '');
    return [...code.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)].map(([, target]) => ({
      path,
      target: target!,
    }));
  });
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ target }) => !/^(?:\.|node:)/.test(target))).toEqual([]);
  const missing = imports.filter(
    ({ path, target }) =>
      target.startsWith('.') && !types.includes(join(dirname(path), target.replace(/\.ts$/, '.d.ts'))),
  );
  expect(missing).toEqual([]);
});

it('runs as packed, and writes its caches next to the program', () => {
  const installed = join(directory.path, 'installed');
  for (const path of packed) {
    mkdirSync(dirname(join(installed, path)), { recursive: true });
    copyFileSync(join(root, path), join(installed, path));
  }
  layOut(directory.path, { 'served/a.txt': 'hello\n' });
  const args = [join(installed, 'dist/cofferdam.cjs'), 'call', 'read_file', '{"path":"a.txt"}'];
  const served = join(directory.path, 'served');
  const { stdout } = spawnSync(process.execPath, [...args, served], { encoding: 'utf8' });
  expect(stdout).toBe('hello\n');
});
