import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Selection } from '../../../../src/engine/search/query.ts';
import { type Fixture, fixture } from '../search-fixture.ts';

let here: Fixture;
beforeAll(async () => {
  here = await fixture({
    'readme.md': 'hit',
    'src/index.ts': 'hit',
    'src/deep/er/file.ts': 'hit',
    'src/app.min.js': 'hit',
    '.env': 'hit',
    '.config/settings.json': 'hit',
    'node_modules/pkg/index.js': 'hit',
    'src/node_modules/pkg/index.js': 'hit',
    'logs/today.log': 'hit',
    '.gitignore': 'logs/\n*.log\n/generated.ts\n',
    'generated.ts': 'hit',
    'src/.gitignore': '!keep.log\ndeep/*/file.ts\n',
    'src/keep.log': 'hit',
    'src/other.log': 'hit',
    'src/generated.ts': 'hit',
    'link.ts': { link: 'src/index.ts' },
    linked: { link: 'src' },
    pipe: { fifo: true },
  });
  execFileSync('git', ['init', '--quiet', here.root]);
});
afterAll(() => here.close());

async function paths(selection: Selection, below = here.root): Promise<string[]> {
  const { files } = await here.grep({ regex: '^hit$', ...selection }, {}, below);
  return files.map(({ path }) => path);
}

const EVERYTHING = [
  '.config/settings.json',
  '.env',
  'generated.ts',
  'logs/today.log',
  'node_modules/pkg/index.js',
  'readme.md',
  'src/app.min.js',
  'src/deep/er/file.ts',
  'src/generated.ts',
  'src/index.ts',
  'src/keep.log',
  'src/node_modules/pkg/index.js',
  'src/other.log',
];

describe('a search takes', () => {
  it('all regular files by default, hidden ones too, but follows no links and opens no FIFO', async () => {
    expect(await paths({})).toEqual(EVERYTHING);
    const named = await here.grep({ regex: '^hit$', plan: 'ripgrep' });
    expect(named.plan.plan).toBe('ripgrep');
    expect(named.files.map(({ path }) => path)).toEqual(EVERYTHING);
  });

  it('files whose names are not UTF-8', async () => {
    const odd = await fixture({ 'plain.txt': 'hit' });
    writeFileSync(
      Buffer.concat([Buffer.from(`${odd.root}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]),
      'hit',
    );
    mkdirSync(Buffer.concat([Buffer.from(`${odd.root}/dir`), Buffer.from([0xff])]));
    writeFileSync(
      Buffer.concat([Buffer.from(`${odd.root}/dir`), Buffer.from([0xff]), Buffer.from('/x')]),
      'hit',
    );
    try {
      for (const plan of ['literal', 'ripgrep'] as const) {
        const { files } = await odd.grep({ regex: 'hit', plan });
        expect(files.map(({ path }) => path)).toEqual(['caf\ufffd.txt', 'dir\ufffd/x', 'plain.txt']);
      }
    } finally {
      await odd.close();
    }
  });

  it('only files that one of the globs matches', async () => {
    expect(await paths({ include: ['**/*.ts', 'readme.*'] })).toEqual([
      'generated.ts',
      'readme.md',
      'src/deep/er/file.ts',
      'src/generated.ts',
      'src/index.ts',
    ]);
    expect(await paths({ include: [] })).toEqual([]);
  });

  it('nothing that an exclusion matches, nor anything below a directory that it matches', async () => {
    const rest = await paths({ exclude: ['**/node_modules', 'src/deep/**', '**/*.log'] });
    expect(rest).toEqual(EVERYTHING.filter((path) => !/node_modules|deep|log/.test(path)));
  });

  it('no hidden names if the query excludes them', async () => {
    expect(await paths({ hidden: false })).toEqual(EVERYTHING.filter((path) => !path.startsWith('.')));
  });

  it('no directories and names that are excluded at any depth', async () => {
    const rest = await paths({
      excludedDirectories: ['node_modules', 'deep'],
      excludedNames: ['*.min.js', '.env'],
    });
    expect(rest).toEqual(EVERYTHING.filter((path) => !/node_modules|deep|min|env/.test(path)));
  });

  it('no entries deeper than the query allows', async () => {
    expect(await paths({ maxDepth: 1 })).toEqual(['.env', 'generated.ts', 'readme.md']);
  });

  it('only files that git does not ignore', async () => {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: here.root });
    const known = listed
      .toString()
      .split('\0')
      .filter((path) => EVERYTHING.includes(path));
    expect(await paths({ gitignore: true })).toEqual(known.sort());
    expect(known).not.toContain('logs/today.log');
  });

  it('only files that git does not ignore, even if it starts below the top of the repository', async () => {
    expect(await paths({ gitignore: true }, join(here.root, 'src'))).toEqual([
      'app.min.js',
      'generated.ts',
      'index.ts',
      'keep.log',
      'node_modules/pkg/index.js',
    ]);
  });

  it('no bad glob', async () => {
    await expect(paths({ include: ['[a'] })).rejects.toMatchObject({
      facts: { kind: 'bad-glob', pattern: '[a' },
    });
    await expect(paths({ exclude: ['../x'] })).rejects.toMatchObject({ facts: { kind: 'bad-glob' } });
  });
});

describe('names', () => {
  it('are found by a part of them in any letter case: those of files, directories and links', async () => {
    const result = await here.wall.at(here.root, {}, (place) =>
      here.search.names(place, { contains: 'LINK', exclude: [] }),
    );
    expect(result.entries).toEqual([
      { path: 'link.ts', type: 'symlink' },
      { path: 'linked', type: 'symlink' },
    ]);
    const modules = await here.wall.at(here.root, {}, (place) =>
      here.search.names(place, { contains: 'modules', exclude: ['src/**'] }),
    );
    expect(modules.entries).toEqual([{ path: 'node_modules', type: 'directory' }]);
  });

  it('are found by globs, but only those of files, up to a cap', async () => {
    const glob = (globs: string[], max?: number) =>
      here.wall.at(here.root, {}, (place) => here.search.glob(place, { globs, max }));
    const all = await glob(['**/*.{ts,log}']);
    expect(all.entries.map(({ path }) => path)).toEqual(
      EVERYTHING.filter((path) => /\.(ts|log)$/.test(path)),
    );
    expect(all.truncated).toBe(false);
    const some = await glob(['**/*.{ts,log}'], 2);
    expect(some).toMatchObject({ truncated: true, entries: all.entries.slice(0, 2) });
    expect((await glob(['*'])).entries.map(({ path }) => path)).toEqual([
      '.env',
      '.gitignore',
      'generated.ts',
      'readme.md',
    ]);
  });
});

describe('a tree', () => {
  it('is listed with types, sizes and times, in the order of paths', async () => {
    const result = await here.wall.at(here.root, {}, (place) =>
      here.search.walk(place, { facts: true, excludedDirectories: ['.git'], maxDepth: 2, hidden: false }),
    );
    expect(result.entries.map(({ path, type, size }) => [path, type, size])).toEqual([
      ['generated.ts', 'file', 3],
      ['link.ts', 'symlink', undefined],
      ['linked', 'symlink', undefined],
      ['logs', 'directory', undefined],
      ['logs/today.log', 'file', 3],
      ['node_modules', 'directory', undefined],
      ['node_modules/pkg', 'directory', undefined],
      ['pipe', 'special', undefined],
      ['readme.md', 'file', 3],
      ['src', 'directory', undefined],
      ['src/app.min.js', 'file', 3],
      ['src/deep', 'directory', undefined],
      ['src/generated.ts', 'file', 3],
      ['src/index.ts', 'file', 3],
      ['src/keep.log', 'file', 3],
      ['src/node_modules', 'directory', undefined],
      ['src/other.log', 'file', 3],
    ]);
    const modified = result.entries.find(({ path }) => path === 'readme.md')!.modifiedMs!;
    expect(Math.abs(Date.now() - modified)).toBeLessThan(3_600_000);
  });

  it('has statistics over all depths, whatever depth is shown', async () => {
    const overview = await here.wall.at(here.root, {}, (place) =>
      here.search.overview(place, { depth: 1, hidden: false, excludedDirectories: ['node_modules'] }),
    );
    expect(overview.entries.map(({ path }) => path)).toEqual([
      'generated.ts',
      'link.ts',
      'linked',
      'logs',
      'pipe',
      'readme.md',
      'src',
    ]);
    expect(overview).toMatchObject({ files: 9, directories: 4, bytes: 27, skippedUnreadable: 0 });
    expect(overview.extensions).toEqual([
      { extension: '.ts', files: 4, bytes: 12 },
      { extension: '.log', files: 3, bytes: 9 },
      { extension: '.js', files: 1, bytes: 3 },
      { extension: '.md', files: 1, bytes: 3 },
    ]);
  });

  it('is not walked if the place is a file', async () => {
    await expect(
      here.wall.at(join(here.root, 'readme.md'), {}, (place) => here.search.walk(place, {})),
    ).rejects.toMatchObject({ facts: { kind: 'not-a-directory' } });
  });
});

describe('a single file', () => {
  const one = (selection: Selection) => paths(selection, join(here.root, 'src/keep.log'));

  it('is searched if the globs match its name', async () => {
    expect(await one({ include: ['*.log'] })).toEqual(['keep.log']);
    expect(await one({ include: ['**/keep.*'], exclude: ['*.ts'] })).toEqual(['keep.log']);
    expect(await one({ include: ['*.ts'] })).toEqual([]);
    expect(await one({ include: [] })).toEqual([]);
    expect(await one({ exclude: ['**/*.log'] })).toEqual([]);
  });

  it('is searched even if a walk would skip it, because the caller named it', async () => {
    const selection = { hidden: false, gitignore: true, excludedNames: ['*'], maxDepth: 1 };
    expect(await paths(selection, join(here.root, '.env'))).toEqual(['.env']);
    expect(await paths({ gitignore: true }, join(here.root, 'logs/today.log'))).toEqual(['today.log']);
  });
});

describe('an ignore file that is a FIFO', () => {
  it('is not opened, so a writer keeps waiting for a reader', async () => {
    const other = await fixture({ 'a.txt': 'hit', 'sub/b.txt': 'hit', '.gitignore': { fifo: true } });
    const writer = spawn('sh', ['-c', 'echo a.txt > "$0"', join(other.root, '.gitignore')]);
    const gone = new Promise((resolve) => writer.once('exit', resolve));
    try {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const query = { regex: 'hit', gitignore: true };
      expect(await other.lines(query)).toEqual(['a.txt:1:hit', 'sub/b.txt:1:hit']);
      expect(await other.lines(query, join(other.root, 'sub'))).toEqual(['b.txt:1:hit']);
      expect(writer.exitCode).toBeNull();
    } finally {
      writer.kill('SIGKILL');
      await gone;
      await other.close();
    }
  });
});
