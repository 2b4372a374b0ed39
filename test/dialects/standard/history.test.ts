/** What golden cases cannot say, because they do not know the ids of entries. */
import { afterEach, expect, it } from 'vitest';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

let fixture: StandardFixture;
afterEach(() => fixture.close());

it('lists the changes of one path that are older than a change of another', async () => {
  fixture = openStandardFixture({});
  const write = (path: string) => fixture.call('write_file', { path, content: path }, 20_000);
  const history = async (args: object) => (await fixture.call('history', { ...args }, 20_000)).join('\n');
  const newest = async () => /^\w+/.exec(await history({ limit: 1 }))![0];
  await write('a.txt');
  const first = await newest();
  await write('b.txt');
  const between = await newest();
  await write('a.txt');
  const last = await newest();
  expect(await history({ path: 'a.txt', before: between })).toContain(first);
  expect(await history({ path: 'a.txt', before: between })).not.toContain(last);
  expect(await history({ path: 'b.txt', before: first })).toBe('No changes');
  await expect(history({ before: 'x'.repeat(1000) })).rejects.toThrow(
    `There is no entry ${'x'.repeat(80)}…\n`,
  );
});
