import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { soak } from '../../../soak.ts';
import { temporaryDirectory } from '../../../tree.ts';
import { pick, type Random, randomFrom } from '../../glob/slow-glob.ts';
import { fixture } from '../../search/search-fixture.ts';

const STEPS = soak(50, 120);
const SWAPPED_SEARCHES = soak(25, 60);
/** After this long, a listing is remembered. */
const SETTLED_MS = 2100;
const DIRECTORIES = ['a', 'b', 'b/c', 'b/c/d', 'e'];

/** What is there now, by a plain walk that follows no link. */
function filesBelow(root: string, path = ''): string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(root, inner);
    return entry.isFile() ? [inner] : [];
  });
}

/** One change. Most changes set the directory's time back to what it was. */
function mutate(root: string, outside: string, random: Random, step: number): string {
  const name = pick(random, DIRECTORIES);
  const path = join(root, name);
  const before = lstatSync(path, { throwIfNoEntry: false });
  const parent = join(path, '..');
  if (!before?.isDirectory()) {
    rmSync(path, { force: true });
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `made-${step}.txt`), 'hit');
    return `made ${name} again`;
  }
  const [file] = readdirSync(path).filter((entry) => entry.endsWith('.txt'));
  const kinds: Record<string, () => void> = {
    create: () => writeFileSync(join(path, `new-${step}.txt`), 'hit'),
    remove: () => file && rmSync(join(path, file)),
    rename: () => file && renameSync(join(path, file), join(path, `renamed-${step}.txt`)),
    'replace the file by a link': () => {
      if (!file) return;
      rmSync(join(path, file));
      symlinkSync(join(outside, 'one.txt'), join(path, file));
    },
    'replace the directory': () => {
      rmSync(path, { recursive: true });
      mkdirSync(path);
      writeFileSync(join(path, `other-${step}.txt`), 'hit');
    },
    'put a link in its place': () => {
      renameSync(path, `${outside}-${step}`);
      symlinkSync(outside, path);
    },
  };
  const kind = pick(random, Object.keys(kinds));
  const above = lstatSync(parent);
  kinds[kind]!();
  if (random(4) > 0) {
    utimesSync(parent, above.atimeMs / 1000, above.mtimeMs / 1000);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      utimesSync(path, before.atimeMs / 1000, before.mtimeMs / 1000);
  }
  return `${kind} ${name}`;
}

describe('a search right after a change', () => {
  it('finds all that is there and nothing else, even if times were set back', async () => {
    const scratch = temporaryDirectory();
    const outside = join(scratch.path, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'one.txt'), 'hit from outside');
    const files = DIRECTORIES.flatMap((name) => ['one', 'two'].map((file) => [`${name}/${file}.txt`, 'hit']));
    const here = await fixture(Object.fromEntries(files));
    const random = randomFrom(7);
    try {
      const settle = async () => {
        await sleep(SETTLED_MS);
        for (let i = 0; i < 6; i++) await here.grep({ regex: 'hit' });
      };
      await settle();
      for (let step = 0; step < STEPS; step++) {
        if (step % (STEPS / 3) === STEPS / 3 - 1) await settle();
        const change = mutate(here.root, outside, random, step);
        const found = (await here.grep({ regex: 'hit' })).files.map(({ path }) => path);
        expect({ step, change, found: found.sort() }).toEqual({
          step,
          change,
          found: filesBelow(here.root).sort(),
        });
      }
    } finally {
      await here.close();
      scratch.remove();
    }
  });
});

describe('a directory that is swapped with a link all the time', () => {
  it('never lets a search reach the target of the link, although the earlier listing is remembered', async () => {
    const scratch = temporaryDirectory();
    const outside = join(scratch.path, 'outside');
    mkdirSync(join(outside, 'in'), { recursive: true });
    for (const name of ['one', 'two']) writeFileSync(join(outside, `in/${name}.txt`), 'hit from outside');
    const here = await fixture({ 'top/in/one.txt': 'hit', 'top/in/two.txt': 'hit', 'rest.txt': 'hit' });
    const swapping = `
      const { renameSync, symlinkSync, rmSync } = require('node:fs');
      const { workerData: { top, aside, outside }, parentPort } = require('node:worker_threads');
      let swaps = 0;
      const next = () => {
        for (let i = 0; i < 50; i++) {
          renameSync(top, aside); symlinkSync(outside, top); rmSync(top); renameSync(aside, top);
        }
        parentPort.postMessage(swaps += 50);
        setImmediate(next);
      };
      next();`;
    const top = join(here.root, 'top');
    const workerData = { top, aside: join(scratch.path, 'aside'), outside };
    let swapper: Worker | undefined;
    try {
      await sleep(SETTLED_MS);
      for (let i = 0; i < 6; i++) await here.grep({ regex: 'hit' });
      let swaps = 0;
      swapper = new Worker(swapping, { eval: true, workerData });
      swapper.on('message', (count: number) => {
        swaps = count;
      });
      for (let searches = 0; searches < SWAPPED_SEARCHES || swaps < 1000; searches++) {
        const { files } = await here.grep({ regex: 'hit' });
        expect(files.map(({ path }) => path)).toContain('rest.txt');
        const texts = files.flatMap(({ lines }) => lines.map(({ text }) => text));
        expect(new Set(texts)).toEqual(new Set(['hit']));
      }
    } finally {
      await swapper?.terminate();
      await here.close();
      scratch.remove();
    }
  });
});

describe('ignore files', () => {
  it('count as they are now, even if the directories did not change', async () => {
    const here = await fixture({
      '.gitignore': 'one.txt\n/in/two.txt\n',
      'in/.ignore': '',
      'in/one.txt': 'hit',
      'in/two.txt': 'hit',
      'in/three.txt': 'hit',
      'in/deep/one.txt': 'hit',
      'in/deep/two.txt': 'hit',
    });
    const paths = async () =>
      (await here.grep({ regex: 'hit', ignoreFiles: true })).files.map(({ path }) => path);
    /** After a few rounds, each of the two threads has read each directory. */
    const often = async (expected: string[]) => {
      for (let i = 0; i < 6; i++) expect(await paths()).toEqual(expected);
    };
    try {
      await sleep(SETTLED_MS);
      await often(['in/deep/two.txt', 'in/three.txt']);
      const before = lstatSync(here.root).ctimeMs;
      writeFileSync(join(here.root, '.gitignore'), 'three.txt\n');
      expect(lstatSync(here.root).ctimeMs).toBe(before);
      await often(['in/deep/one.txt', 'in/deep/two.txt', 'in/one.txt', 'in/two.txt']);
      writeFileSync(join(here.root, 'in/.ignore'), '/deep/\n!three.txt\n');
      await often(['in/one.txt', 'in/three.txt', 'in/two.txt']);
      writeFileSync(join(here.root, '.gitignore'), 'one.txt\n/in/two.txt\n');
      writeFileSync(join(here.root, 'in/.ignore'), '');
      await often(['in/deep/two.txt', 'in/three.txt']);
      // The directory itself is unchanged but at another path, so `/in/two.txt` no longer applies to it.
      renameSync(join(here.root, 'in'), join(here.root, 'out'));
      await often(['out/deep/two.txt', 'out/three.txt', 'out/two.txt']);
    } finally {
      await here.close();
    }
  });
});
