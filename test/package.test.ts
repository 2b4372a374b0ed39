/** The package as it is published: what is in it, and that the README's example of the library works with it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { layOut, readBack, temporaryDirectory } from './tree.ts';

const root = resolve(import.meta.dirname, '..');
let directory: { path: string; remove(): void };
let packed: string[];
beforeAll(() => {
  directory = temporaryDirectory();
  // Without scripts: prepack would build dist/ anew under the other tests.
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
        'dist/types/engine/index.d.ts',
        'dist/page/index.html',
        'dist/page/page.js',
        'dist/THIRD-PARTY.txt',
      ],
      ...['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json', 'docs/CLI.md', 'docs/tools/replay.md'],
    ]),
  );
});

it('holds no caches of V8, no maps, no pictures, no sources and no tests', () => {
  const known =
    /^(?:dist\/[\w.-]+\.(?:cjs|mjs|txt)|dist\/page\/[\w.-]+|dist\/types\/.*\.d\.ts|docs\/.*\.md|[A-Z-]+(?:\.md)?|package\.json)$/;
  expect(packed.filter((path) => !known.test(path))).toEqual([]);
  expect(packed.filter((path) => /\.cache|\.map$|\.png$|dialects-/.test(path))).toEqual([]);
});

it('runs as it is packed, and writes its caches beside itself', () => {
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

it('makes the example of the README compile with the strictest options, and run', () => {
  const project = join(directory.path, 'project');
  layOut(directory.path, { 'app/a.txt': 'a\n', 'project/node_modules/@types/': '' });
  symlinkSync(root, join(project, 'node_modules/cofferdam'));
  symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      skipLibCheck: false,
      outDir: 'out',
      rootDir: '.',
    },
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const example = /## As a library\n+```ts\n(.*?)```/s.exec(readme)![1]!;
  const app = join(directory.path, 'app');
  const placed = example
    .replace('/home/me/code/app', app)
    .replace('/home/me/.local/state/cofferdam', join(directory.path, 'state'));
  writeFileSync(join(project, 'example.ts'), placed);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [compiler, '--project', project], { encoding: 'utf8' });
  expect(compiled).toMatchObject({ status: 0, stdout: '' });
  const ran = spawnSync(process.execPath, ['out/example.js'], { cwd: project, encoding: 'utf8' });
  expect(ran).toMatchObject({
    status: 0,
    stdout: 'hello\n\nnot-found | not-found: notes.txt does not exist\n',
    stderr: '',
  });
  expect(readBack(app)).toEqual({ 'a.txt': 'a\n' });
});
