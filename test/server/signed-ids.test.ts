/** Signed ids are valid only for whom they were made, and as long as their key is valid. */
import { afterEach, expect, test, vi } from 'vitest';
import { keysFrom, SignedIds } from '../../src/server/web/tokens/signed-ids.ts';

const signing = (secrets: string, purpose = 'session') => new SignedIds(purpose, keysFrom(secrets));

afterEach(() => void vi.useRealTimers());

test('an id is valid at every server that has its key, in any order, and for nobody else', async () => {
  const id = await signing('old').make(['anna', 'standard'], '2025-06-18');
  for (const secrets of ['old', 'old,new', 'new, old']) {
    const read = await signing(secrets).read(id, ['anna', 'standard']);
    expect(read).toEqual({ key: id.split('.')[0], says: '2025-06-18' });
  }
  expect(await signing('new').read(id, ['anna', 'standard'])).toBeUndefined();
  expect(await signing('old').read(id, ['bert', 'standard'])).toBeUndefined();
  expect(await signing('old', 'page').read(id, ['anna', 'standard'])).toBeUndefined();
  const other = id.replace('2025-06-18', '2025-03-26');
  expect(await signing('old').read(other, ['anna', 'standard'])).toBeUndefined();
});

test('the first of two keys signs', async () => {
  const id = await signing('new,old').make(['anna']);
  expect(await signing('new').read(id, ['anna'])).toBeDefined();
  expect(await signing('old').read(id, ['anna'])).toBeUndefined();
});

test('a key that other servers no longer use is valid for at most a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let secrets = 'old';
  const ids = new SignedIds('session', () => keysFrom(secrets)());
  const id = await ids.make(['anna']);
  secrets = 'new';
  vi.advanceTimersByTime(61_000);
  await ids.read(id, ['anna']);
  expect(await ids.read(id, ['anna'])).toBeUndefined();
});

test('a server that has not read its keys yet recognises all requests that arrive together', async () => {
  const id = await signing('shared').make(['anna']);
  const fresh = new SignedIds('session', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return keysFrom('shared')();
  });
  const read = await Promise.all([1, 2, 3].map(() => fresh.read(id, ['anna'])));
  expect(read.map((each) => each?.key)).toEqual(new Array(3).fill(id.split('.')[0]));
});
