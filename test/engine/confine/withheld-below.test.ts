import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/engine/confine/scan/cursor.ts';
import type { Listing } from '../../../src/engine/confine/scan/listing.ts';
import { WithheldBelow } from '../../../src/engine/confine/withheld/withheld-below.ts';

/** The rules have no letter with another case, so nothing asks the disk. */
const cursor = {} as Cursor;
const listing: Listing = { names: ['1.txt', '2.txt'], types: ['file', 'file'] };

function below(deny: string[], hide: string[] = []) {
  const rules = { deny, hide, directories: [{ path: '/root', ignoreFile: undefined }] };
  return new WithheldBelow({ rules, path: '/root' }, cursor);
}

describe('a listing that was judged before', () => {
  it('is judged again for another directory', () => {
    const walk = below(['/here/1.txt']);
    expect([...walk.serve('here', listing).denied]).toEqual(['1.txt']);
    expect([...walk.serve('there', listing).denied]).toEqual([]);
    expect([...walk.serve('here', listing).denied]).toEqual(['1.txt']);
  });

  it('is judged again by other rules', () => {
    expect([...below(['1.txt']).serve('here', listing).denied]).toEqual(['1.txt']);
    expect([...below(['2.txt']).serve('here', listing).denied]).toEqual(['2.txt']);
    expect(below(['2.txt'], ['1.txt']).serve('here', listing).listing.names).toEqual(['2.txt']);
    expect([...below(['1.txt']).serve('here', listing).denied]).toEqual(['1.txt']);
  });

  it('gives the same object for the same rules and the same directory', () => {
    const served = below([], ['1.txt']).serve('here', listing);
    expect(below([], ['1.txt']).serve('here', listing)).toBe(served);
  });

  it('gives the same result in turns', async () => {
    const pause = async () => {};
    const walk = below(['/here/1.txt']);
    expect([...walk.serve('here', listing).denied]).toEqual(['1.txt']);
    expect([...(await walk.serveInTurns('there', listing, pause)).denied]).toEqual([]);
    expect([...(await walk.serveInTurns('here', listing, pause)).denied]).toEqual(['1.txt']);
  });
});
