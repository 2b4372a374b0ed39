/** A state directory with the exact bytes that version 0.1.0 wrote: everything in it can still be read. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { History } from '../../../src/engine/index.ts';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { forgetTraced } from '../../../src/trace/forget.ts';
import { TraceLog } from '../../../src/trace/log.ts';
import { temporaryDirectory } from '../../tree.ts';

const ONE = '2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806';
const TWO = '27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a';
const BIG = '6285332e3072b27e5b095c5c7d6e37eadd201220eb14694f9d2d0177c25a64ae';

const JOURNAL = [
  'aadbb5a689a7 {"e":"99cjqehm4u","at":1794866105560,"by":{"dialect":"replay","tool":"write_file"},"roots":["/home/anna/app"],"did":[{"kind":"changed","path":"/home/anna/app/a.txt","before":{"size":4,"mode":420,"hash":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806","kept":{"in":"store"}},"after":{"size":4,"mode":420,"hash":"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"}}]}',
  '4434031d1cbd {"e":"99cjqehm4u","end":"done"}',
  '6794ce741fe0 {"e":"eqv69f5szr","at":1794866107618,"by":{"dialect":"replay","tool":"write_file"},"roots":["/home/anna/app"],"did":[{"kind":"changed","path":"/home/anna/app/big.txt","before":{"size":40000,"mode":420,"hash":"6285332e3072b27e5b095c5c7d6e37eadd201220eb14694f9d2d0177c25a64ae","kept":{"in":"store"}},"after":{"size":4,"mode":420,"hash":"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"}}]}',
  '008b8bf46f0b {"e":"eqv69f5szr","end":"done"}',
  '4f2439735839 {"e":"3dr5zk66g7","at":1794866113089,"by":{"dialect":"cofferdam","tool":"undo"},"undoes":"99cjqehm4u","roots":["/home/anna/app"],"did":[{"kind":"changed","path":"/home/anna/app/a.txt","before":{"size":4,"mode":420,"hash":"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a","kept":{"in":"store"}},"after":{"size":4,"mode":420,"hash":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}}]}',
  '73e5df0d37ee {"e":"3dr5zk66g7","end":"done"}',
];
/** A line whose writer was killed. */
const TORN = '0123456789ab {"e":"kkkkkkkkkk","at":17948661';

const EVENT =
  '{"id":"mwjsxqj4i00y-1","at":1794866105502,"server":"mwjsxqj4i00y","roots":["/home/anna/app"],"dialect":"replay","tool":"write_file","paths":[{"path":"/home/anna/app/a.txt","how":"changed"}],"outcome":"ok","ms":25.8,"bytesIn":50,"bytesOut":41,"tokensOut":11,"session":"163ebd0b","entries":["99cjqehm4u"],"arguments":"{\\"path\\":\\"a.txt\\"}"}';

const FILES: Record<string, string | Buffer> = {
  'journal/2026-11-16.jsonl': `${JOURNAL.map((line) => `\n${line}\n`).join('')}\n${TORN}`,
  [`store/${ONE}`]: 'one\n',
  [`store/${TWO}`]: 'two\n',
  [`store/${BIG}.z`]: Buffer.from(
    '7cExAQAAAMKg2ovvZQugAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAGw==',
    'base64',
  ),
  'trace/2026-11-16.jsonl': `${EVENT}\n{"id":"torn`,
  'trace/2026-11-16.1.jsonl': `${EVENT.replace('00y-1', '00y-2')}\n`,
  kept: '4\n4\n192\n',
  tidied: '{"days":30,"bytes":1073741824}',
};

let directory: { path: string; remove(): void };
beforeEach(() => {
  directory = temporaryDirectory();
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(join(directory.path, name, '..'), { recursive: true });
    writeFileSync(join(directory.path, name), content);
  }
});
afterEach(() => directory.remove());

test('the history of a 0.1.0 directory has every entry and its state', async () => {
  const entries = await new History(directory.path).entries();
  expect(entries.map(({ id, state, changes }) => [id, state, changes[0]?.path])).toEqual([
    ['3dr5zk66g7', 'done', '/home/anna/app/a.txt'],
    ['eqv69f5szr', 'done', '/home/anna/app/big.txt'],
    ['99cjqehm4u', 'undone', '/home/anna/app/a.txt'],
  ]);
});

test('the contents of a 0.1.0 directory can be read, plain and deflated', async () => {
  const { contents } = openDirectoryState(directory.path);
  expect((await contents.get(ONE))?.toString()).toBe('one\n');
  expect((await contents.get(BIG))?.toString()).toBe('x'.repeat(40_000));
  expect(contents.usage.bytes).toBe(63);
  contents.close();
  const [diff] = await new History(directory.path).diff('99cjqehm4u');
  expect(diff).toMatchObject({ path: '/home/anna/app/a.txt' });
  expect(JSON.stringify(diff)).toContain('-one');
});

test('the trace of a 0.1.0 directory has every event, and more can be appended after a truncated line', async () => {
  const log = new TraceLog(openDirectoryState(directory.path), { now: () => Date.UTC(2026, 10, 16, 12) });
  const event = JSON.parse(EVENT);
  expect((await log.recent(10)).map(({ id }) => id)).toEqual(['mwjsxqj4i00y-1', 'mwjsxqj4i00y-2']);
  expect((await log.recent(10))[0]).toEqual(event);
  log.append({ ...event, id: 'new' });
  expect((await log.recent(10)).map(({ id }) => id).sort()).toEqual([
    'mwjsxqj4i00y-1',
    'mwjsxqj4i00y-2',
    'new',
  ]);
  log.close();
});

test('the traced contents of a 0.1.0 directory can be forgotten', async () => {
  expect(await forgetTraced(openDirectoryState(directory.path), undefined, false)).toBe(2);
  expect(readFileSync(join(directory.path, 'trace/2026-11-16.jsonl'), 'utf8')).not.toContain('arguments');
});
