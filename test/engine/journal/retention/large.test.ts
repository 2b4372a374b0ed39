/** How large a file and a call may be for the journal to keep them, and what happens to larger ones. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseState } from '../../../../src/cli/arguments/options/state-flags.ts';
import { UsageError } from '../../../../src/cli/usage-error.ts';
import type { RetentionLimits } from '../../../../src/engine/journal/retention/retention-limits.ts';
import { openJournalFixture } from '../journal-fixture.ts';

const usual = { days: 30, bytes: 1e9 };
const LARGE = 'x'.repeat(2000);
const TREE = {
  large: LARGE,
  small: 'small',
  'dir/large': LARGE,
  'dir/small': 'small',
  'many/a': 'a'.repeat(900),
  'many/b': 'b'.repeat(900),
};

function open(keep: Partial<RetentionLimits>) {
  const fixture = openJournalFixture(TREE, { keep: { ...usual, ...keep } });
  onTestFinished(() => fixture.close());
  return fixture;
}

describe('a change that is too large', () => {
  const bounds = { file: 1000, call: 1500 };

  test('is refused, and nothing is changed', async () => {
    const { engine, tree } = open(bounds);
    const byFile = expect.stringMatching(
      /more than --keep-file allows \(1000 bytes\), so it was not changed/,
    );
    const byCall = expect.stringMatching(
      /more than --keep-call allows \(1500 bytes\), so it was not changed/,
    );
    const refused = (code: unknown) => ({ facts: { kind: 'io', code } });
    await expect(engine.files.write('large', 'new')).rejects.toMatchObject(refused(byFile));
    await expect(engine.files.remove('large')).rejects.toMatchObject(refused(byFile));
    await expect(engine.files.remove('dir', { recursive: true })).rejects.toMatchObject(refused(byFile));
    await expect(engine.files.move('small', 'large', { overwrite: true })).rejects.toMatchObject(
      refused(byFile),
    );
    await expect(engine.files.remove('many', { recursive: true })).rejects.toMatchObject(refused(byCall));
    expect(tree()).toEqual(TREE);
    await engine.files.remove('many/a');
  });

  test('is made if the operator allows it, and the rest of the call can be undone', async () => {
    const { engine, tree, undo, entries } = open({ ...bounds, changesLarge: true });
    const refuses = async (why: RegExp) => {
      const { id } = (await entries())[0]!;
      expect(await engine.history.undo(id)).toMatchObject({
        done: false,
        obstacles: [{ why: expect.stringMatching(why) }],
      });
    };
    await engine.files.write('large', 'new');
    await refuses(/not kept: 2000 bytes are more than --keep-file allows \(1000 bytes\)/);
    await engine.files.remove('many', { recursive: true });
    await refuses(/1800 bytes are more than --keep-call allows/);
    await engine.files.write('small', 'changed');
    await undo();
    expect(tree()).toEqual({ large: 'new', small: 'small', 'dir/large': LARGE, 'dir/small': 'small' });
  });
});

test('the options set the limits, and refuse what is not a size', () => {
  const keep = (values: Parameters<typeof parseState>[0]) => parseState(values, {}, '/home', undefined).keep;
  expect(keep({ 'keep-file': '64M', 'keep-call': '2GiB', 'no-undo-for-large': true })).toMatchObject({
    ...{ file: 64 * 1024 ** 2, call: 2 * 1024 ** 3, changesLarge: true },
  });
  expect(keep({})).toEqual({ days: 30, bytes: 1024 ** 3 });
  for (const text of ['0', 'much', '30d']) expect(() => keep({ 'keep-file': text })).toThrow(UsageError);
});
