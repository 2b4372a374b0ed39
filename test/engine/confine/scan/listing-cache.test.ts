import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ListingCache } from '../../../../src/engine/confine/scan/listing-cache.ts';
import { fixture } from '../../search/search-fixture.ts';

const LONG_AGO = 1_000_000_000_000;
const state = (ino: number, changedMs = LONG_AGO) => ({
  dev: 1,
  ino,
  modifiedMs: LONG_AGO,
  changedMs,
});
const listing = (names: string[]) => ({ names, types: names.map(() => 'file' as const) });

describe('the listing of a directory', () => {
  it('is remembered as long as the directory does not change', () => {
    const cache = new ListingCache();
    cache.remember(state(1), listing(['a']));
    expect(cache.recall(state(1))).toEqual(listing(['a']));
    expect(cache.recall(state(2))).toBeUndefined();
    expect(cache.recall(state(1, LONG_AGO + 1))).toBeUndefined();
    expect(cache.recall({ ...state(1), modifiedMs: LONG_AGO - 1 })).toBeUndefined();
    expect(cache.recall({ ...state(1), dev: 2 })).toBeUndefined();
  });

  it('is not remembered when the directory changed a moment ago', () => {
    const cache = new ListingCache();
    const now = Date.now();
    cache.remember(state(1, now - 1000), listing(['a']));
    expect(cache.recall(state(1, now - 1000))).toBeUndefined();
  });

  it('is forgotten, oldest first, before it takes much memory', () => {
    const cache = new ListingCache();
    const many = listing(Array.from({ length: 30_000 }, (_, i) => `name-${i}`));
    for (let ino = 0; ino < 5; ino++) cache.remember(state(ino), many);
    expect(cache.recall(state(0))).toBeUndefined();
    for (let ino = 1; ino < 5; ino++) expect(cache.recall(state(ino))).toBe(many);
    cache.remember(state(9), listing(Array.from({ length: 200_000 }, String)));
    expect(cache.recall(state(9))).toBeUndefined();
  });
});

describe('a search', () => {
  it('sees every change since the last one', async () => {
    const here = await fixture({ 'a/one.txt': 'hit', 'b/c/two.txt': 'hit', 'b/old/three.txt': 'hit' });
    const paths = async () => (await here.grep({ regex: 'hit' })).files.map(({ path }) => path);
    try {
      await sleep(2100);
      // After a few rounds, each of the two threads has read each directory.
      for (let i = 0; i < 8; i++)
        expect(await paths()).toEqual(['a/one.txt', 'b/c/two.txt', 'b/old/three.txt']);
      writeFileSync(join(here.root, 'a/new.txt'), 'hit');
      rmSync(join(here.root, 'b/c/two.txt'));
      renameSync(join(here.root, 'b/old'), join(here.root, 'b/moved'));
      mkdirSync(join(here.root, 'b/c/deep'));
      writeFileSync(join(here.root, 'b/c/deep/four.txt'), 'hit');
      for (let i = 0; i < 4; i++) {
        expect(await paths()).toEqual(['a/new.txt', 'a/one.txt', 'b/c/deep/four.txt', 'b/moved/three.txt']);
      }
    } finally {
      await here.close();
    }
  });
});
