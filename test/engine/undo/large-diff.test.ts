/** Diffs of large contents are computed in another thread, with the same result. */
import { afterEach, expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/engine/text/diff/unified-diff.ts';
import { type JournalFixture, openJournalFixture } from '../journal/journal-fixture.ts';

const LINES = Array.from({ length: 60_000 }, (_, line) => `line ${line}\n`);
const BEFORE = `\uFEFF${LINES.join('')}`;
const AFTER = `\uFEFF${LINES.map((line, index) => (index % 3 === 0 ? `+-${line}` : line)).join('')}last\n`;

let fixture: JournalFixture;
afterEach(() => fixture.close());

it('an entry shows its whole diff, or only counts its lines', async () => {
  fixture = openJournalFixture({ 'large.txt': BEFORE, 'small.txt': 'a\n' });
  const { engine, root } = fixture;
  await engine.files.writeAll([
    { path: 'large.txt', content: AFTER },
    { path: 'small.txt', content: 'b\n' },
  ]);
  const { id } = await fixture.newest();
  const path = `${root}/large.txt`;
  const lines = { added: 20_001, removed: 20_000 };
  const [large, small] = await engine.history.diff(id);
  expect(large).toEqual({
    path,
    kind: 'changed',
    text: unifiedDiff(BEFORE, AFTER, { oldName: path, newName: path }),
    lines,
  });
  expect(small).toMatchObject({ lines: { added: 1, removed: 1 } });
  expect(await engine.history.lineCounts(id, new Set([path]))).toEqual(new Map([[path, lines]]));
});

it('contents in other encodings are compared as texts', async () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  fixture = openJournalFixture({});
  const { engine } = fixture;
  await engine.files.write('wide.txt', utf16(BEFORE));
  await engine.files.write('wide.txt', utf16(AFTER));
  const [wide] = await engine.history.diff((await fixture.newest()).id);
  expect(wide!.lines).toEqual({ added: 20_001, removed: 20_000 });
  expect(wide!.text).toContain('\n-line 0\n');
});
