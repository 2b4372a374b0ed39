/** Scans of whole trees and copies of their files, on the main thread and in the search threads. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { namesIn, statAt, typeAt } from '../../../src/engine/confine/scan/packed-entries.ts';
import type { Copies, TreeScan } from '../../../src/engine/confine/scan/tree-scanner.ts';
import { startAttacker } from '../../attackers/attacker.ts';
import { soak } from '../../soak.ts';
import { temporaryDirectory } from '../../tree.ts';
import { type Fixture, fixture } from './search-fixture.ts';

const ALL = { notEntered: ['.git', 'node_modules'], mostEntries: 1_000_000 };
const DIRECTORIES = 40;
const FILES = soak(12, 30);
/** The search threads do everything, or only what the main thread leaves to them. */
const SHARES = [{ mainThreadMs: 0 }, {}];

let here: Fixture;
afterEach(() => here.close());

function scanTree(options = ALL): Promise<TreeScan> {
  return here.wall.at(here.root, {}, (place) => here.search.trees.scan(place.enter(), options));
}

function pathsOf({ directories }: TreeScan): string[] {
  const inside = directories.flatMap((directory) =>
    namesIn(directory).map((name) => (directory.path === '' ? name : `${directory.path}/${name}`)),
  );
  return inside.sort();
}

/** What the system's own `find` reports: type, size, inode and path of everything but the root. */
function found(...more: string[]): string[] {
  const said = execFileSync('find', ['.', '-mindepth', '1', ...more, '-printf', '%y %s %i %P\\n'], {
    cwd: here.root,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  return said.trimEnd().split('\n').sort();
}

function facts({ directories }: TreeScan): string[] {
  const letters = { file: 'f', directory: 'd', symlink: 'l', special: 'p' };
  return directories
    .flatMap((directory) =>
      namesIn(directory).map((name, index) => {
        const { size, ino } = statAt(directory, index);
        const path = directory.path === '' ? name : `${directory.path}/${name}`;
        return `${letters[typeAt(directory, index)]} ${size} ${ino} ${path}`;
      }),
    )
    .sort();
}

function fill(root: string): void {
  for (let d = 0; d < DIRECTORIES; d++) {
    mkdirSync(join(root, `d${d % 7}/e${d}`), { recursive: true });
    for (let f = 0; f < FILES; f++) writeFileSync(join(root, `d${d % 7}/e${d}/f${f}`), `${d} ${f}\n`);
  }
}

describe('a scan of a tree', () => {
  it.each(SHARES)('reports every entry once, with what the system says about it: %j', async (share) => {
    here = await fixture({ 'a.txt': 'a', 'node_modules/x/y.js': 'y', '.git/HEAD': 'ref' }, share);
    fill(here.root);
    symlinkSync('a.txt', join(here.root, 'link'));
    execFileSync('mkfifo', [join(here.root, 'fifo')]);
    const outside = ['-not', '-path', './node_modules/*', '-not', '-path', './.git/*'];
    const seen = await scanTree();
    expect(facts(seen)).toEqual(found(...outside));
    expect(seen).toMatchObject({ count: facts(seen).length, tooMany: false });
    if (share.mainThreadMs === 0) expect(here.search.threads).toBeGreaterThan(0);
  });

  it('divides a directory with thousands of entries among the threads', async () => {
    here = await fixture({}, { mainThreadMs: 0 });
    for (let f = 0; f < 2100; f++) writeFileSync(join(here.root, `file ${f}`), '');
    const seen = await scanTree();
    expect(facts(seen)).toEqual(found());
    expect(new Set(seen.directories.map(({ part }) => part)).size).toBe(3);
  });

  it('reports when there are more entries than the caller allows', async () => {
    here = await fixture({});
    fill(here.root);
    const total = found().length;
    for (const countOnly of [false, true]) {
      expect(await scanTree({ ...ALL, mostEntries: total - 1, ...{ countOnly } })).toMatchObject({
        tooMany: true,
      });
      expect(await scanTree({ ...ALL, mostEntries: total, ...{ countOnly } })).toMatchObject({
        tooMany: false,
        count: total,
      });
    }
  });
});

describe('copies of files', () => {
  function contentsOf(copies: Copies[], file: string): Map<string, string> {
    const fd = openSync(file, 'r');
    const texts = new Map<string, string>();
    for (const { paths, offsets, facts: packed } of copies) {
      for (const [index, path] of paths.entries()) {
        const bytes = Buffer.alloc(statAt({ facts: packed }, index).size);
        readSync(fd, bytes, 0, bytes.length, offsets[index]!);
        texts.set(path, bytes.toString('utf8'));
      }
    }
    closeSync(fd);
    return texts;
  }

  async function copyAll(seen: TreeScan, most: number): Promise<Map<string, string>> {
    const aside = temporaryDirectory();
    const file = join(aside.path, 'copies');
    const fd = openSync(file, 'w');
    const taken = new Int32Array(new SharedArrayBuffer(4));
    const files = seen.directories.map((directory) => ({
      path: directory.path,
      names: namesIn(directory).filter((_, index) => typeAt(directory, index) === 'file'),
    }));
    try {
      const copies = await here.wall.at(here.root, {}, (place) =>
        here.search.trees.copy(place.enter(), files, { fd, taken, most }),
      );
      expect(Atomics.load(taken, 0)).toBeLessThanOrEqual(most);
      return contentsOf(copies, file);
    } finally {
      closeSync(fd);
      aside.remove();
    }
  }

  it.each(SHARES)('have the content of each file: %j', async (share) => {
    here = await fixture({}, share);
    fill(here.root);
    const texts = await copyAll(await scanTree(), 1 << 28);
    expect(texts.size).toBe(DIRECTORIES * FILES);
    expect(texts.get('d3/e10/f7')).toBe('10 7\n');
    for (const [path, text] of texts) {
      const [, d, f] = /e(\d+)\/f(\d+)$/.exec(path)!;
      expect(text).toBe(`${d} ${f}\n`);
    }
  });

  it('leave out files that do not fit, and entries that are no longer regular files', async () => {
    here = await fixture({ a: 'x'.repeat(1000), b: 'y'.repeat(1000), c: 'z' });
    const seen = await scanTree();
    rmSync(join(here.root, 'c'));
    symlinkSync('a', join(here.root, 'c'));
    const texts = await copyAll(seen, 1500);
    expect(texts.size).toBe(1);
    expect(texts.has('c')).toBe(false);
  });

  it('contain nothing from outside while directories are swapped with links that lead there', async () => {
    here = await fixture({}, { mainThreadMs: 0 });
    const outside = temporaryDirectory();
    const pairs: [string, string][] = [];
    for (let i = 0; i < 6; i++) {
      const [inside, link, target] = [`${here.root}/p${i}`, `${here.root}/trap${i}`, `${outside.path}/p${i}`];
      for (const base of [inside, target]) mkdirSync(join(base, 'below'), { recursive: true });
      for (let f = 0; f < 40; f++) {
        writeFileSync(join(inside, 'below', `f${f}`), 'harmless');
        writeFileSync(join(target, 'below', `f${f}`), 'from outside');
      }
      writeFileSync(join(target, 'below/only-outside'), 'from outside');
      symlinkSync(target, link);
      pairs.push([inside, link]);
    }
    const attacker = await startAttacker(pairs);
    let copied = 0;
    try {
      for (let round = 0; round < 20; round++) {
        const seen = await scanTree();
        expect(pathsOf(seen).filter((path) => path.includes('only-outside'))).toEqual([]);
        for (const text of (await copyAll(seen, 1 << 28)).values()) {
          expect(text).toBe('harmless');
          copied++;
        }
      }
    } finally {
      expect(await attacker.stop()).toBeGreaterThan(100);
      outside.remove();
    }
    expect(copied).toBeGreaterThan(0);
  });
});
