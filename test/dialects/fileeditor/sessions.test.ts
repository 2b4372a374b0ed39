/** The workspace belongs to one client's session, whose calls do not wait for each other. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool } from '../../../src/dialects/call.ts';
import type { Session } from '../../../src/dialects/dialect.ts';
import { fileeditor } from '../../../src/dialects/fileeditor/index.ts';
import { anonymous, Engine, limits } from '../../../src/engine/index.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { proves } from '../../proves.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let engine: Engine;

beforeEach(() => {
  temporary = temporaryDirectory();
  root = temporary.path;
  engine = new Engine({ roots: [{ path: root, writable: true }] });
});

afterEach(async () => {
  await engine.close();
  temporary.remove();
});

/** `arrival`: when the call arrived. Default: now. */
async function call(
  session: Session,
  name: string,
  args: unknown,
  { signal = new AbortController().signal, arrival = engine.arrive() } = {},
): Promise<string> {
  const tool = fileeditor.tools.find((each) => each.name === name)!;
  const caller = { ...anonymous, arrival };
  const outcome = await callTool(fileeditor, tool, args, {
    ...{ engine: engine.as(caller), caller, session, signal },
    ...{ home: homedir(), settings: {}, progress: () => {} },
  });
  arrival.markNamed();
  if (!('result' in outcome)) throw new Error(`${name} must not fail as a protocol error`);
  const [item] = outcome.result.content;
  return item?.type === 'text' ? item.text : '';
}

describe('a session', () => {
  it('does not share its workspace with other sessions of the same server', async () => {
    proves('fileeditor.decided.session');
    layOut(root, { 'one/a.txt': '1\n', 'two/a.txt': '2\n' });
    const first: Session = {};
    const second: Session = {};
    await call(first, 'set_workspace', { path: join(root, 'one') });
    expect(await call(second, 'read_files', { path: 'a.txt' })).toContain('Error: No workspace is set');
    await call(second, 'set_workspace', { path: join(root, 'two') });
    expect(await call(first, 'read_files', { path: 'a.txt' })).toBe('1 | 1');
    expect(await call(second, 'read_files', { path: 'a.txt' })).toBe('1 | 2');
    expect(await call(second, 'read_files', { path: join(root, 'one/a.txt') })).toContain('Access denied');
  });

  it('runs calls that were sent after set_workspace in the new workspace, although nobody awaited its answer', async () => {
    layOut(root, { 'one/a.txt': '1\n', 'two/a.txt': '2\n' });
    const session: Session = {};
    const answers = await Promise.all([
      call(session, 'set_workspace', { path: join(root, 'one') }),
      call(session, 'read_files', { path: 'a.txt' }),
      call(session, 'set_workspace', { path: join(root, 'two') }),
      call(session, 'read_files', { path: 'a.txt' }),
      call(session, 'set_workspace', { path: join(root, 'nowhere') }),
      call(session, 'read_files', { path: 'a.txt' }),
    ]);
    expect(answers[1]).toBe('1 | 1');
    expect(answers[3]).toBe('1 | 2');
    expect(answers[4]).toContain('Error: Directory not found');
    expect(answers[5]).toBe('1 | 2');
  });

  it('can choose a directory that the call just before creates', async () => {
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    const [, , read] = await Promise.all([
      call(session, 'write_files', { path: 'new/a.txt', content: 'n\n', line_count: 1 }),
      call(session, 'set_workspace', { path: join(root, 'new') }),
      call(session, 'read_files', { path: 'a.txt' }),
    ]);
    expect(read).toBe('1 | n');
  });

  it('lets running calls finish in the workspace that they began in', async () => {
    layOut(root, { 'one/a.txt': 'x\n'.repeat(5000), 'two/a.txt': '2\n' });
    const session: Session = {};
    await call(session, 'set_workspace', { path: join(root, 'one') });
    const edits = Array.from({ length: 5 }, (_, i) =>
      call(session, 'insert_contents', { path: 'a.txt', line: 1, content: `edit ${i}` }),
    );
    const moved = call(session, 'set_workspace', { path: join(root, 'two') });
    for (const answer of await Promise.all(edits)) expect(answer).toContain('Successfully inserted');
    await moved;
    expect(await call(session, 'list_files', { path: '.' })).toBe('file: a.txt');
    expect(await call(session, 'read_files', { path: 'a.txt' })).toBe('1 | 2');
    const { 'one/a.txt': edited, 'two/a.txt': untouched } = readBack(root);
    expect(String(edited).split('\n').slice(0, 6)).toEqual([
      'edit 4',
      'edit 3',
      'edit 2',
      'edit 1',
      'edit 0',
      'x',
    ]);
    expect(untouched).toBe('2\n');
  });

  it('runs a call whose arguments take long to check in the workspace of the time when it arrived', async () => {
    layOut(root, { 'one/a.txt': '1\n', 'two/a.txt': '2\n' });
    const session: Session = {};
    await call(session, 'set_workspace', { path: join(root, 'one') });
    const arrival = engine.arrive();
    const moved = call(session, 'set_workspace', { path: join(root, 'two') });
    const later = call(session, 'read_files', { path: 'a.txt' });
    await call(session, 'insert_contents', { path: 'a.txt', line: 1, content: 'edit' }, { arrival });
    expect(await moved).toContain('Successfully set workspace root');
    expect(await later).toBe('1 | 2');
    expect(readBack(root)).toEqual({ 'one/a.txt': 'edit\n1\n', 'two/a.txt': '2\n' });
  });

  it('holds one directory, however often the workspace is set', async () => {
    layOut(root, { 'one/a.txt': '1\n', 'two/a.txt': '2\n' });
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    const before = heldBelow(root);
    for (let i = 0; i < 100; i++) {
      await call(session, 'set_workspace', { path: join(root, i % 2 === 0 ? 'one' : 'two') });
    }
    await call(session, 'read_files', { path: 'a.txt' });
    await expectNoMoreHeld([...before, root], root);
    await engine.close();
    await expectNoMoreHeld([], root);
  });

  it('stays in its directory when that is moved and another one takes its name', async () => {
    layOut(root, { 'app/a.txt': 'mine\n' });
    const session: Session = {};
    await call(session, 'set_workspace', { path: join(root, 'app') });
    renameSync(join(root, 'app'), join(root, 'moved'));
    mkdirSync(join(root, 'app'));
    writeFileSync(join(root, 'app/a.txt'), 'other\n');
    expect(await call(session, 'read_files', { path: 'a.txt' })).toBe('1 | mine');
    await call(session, 'write_files', { path: 'b.txt', content: 'b', line_count: 1 });
    expect(readBack(root)).toEqual({ 'app/a.txt': 'other\n', 'moved/a.txt': 'mine\n', 'moved/b.txt': 'b' });
  });

  it('answers other calls while a runaway pattern is matched', async () => {
    layOut(root, { 'a.txt': 'a'.repeat(40), 'b.txt': 'b\n' });
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    const cancel = new AbortController();
    const replace = { path: 'a.txt', search: '^(a+)+b$', replace: 'x', use_regex: true };
    const stuck = call(session, 'search_and_replace', replace, { signal: cancel.signal });
    expect(await call(session, 'read_files', { path: 'b.txt' })).toBe('1 | b');
    cancel.abort();
    expect(await stuck).toBe('Error: The call was cancelled');
  });
});

describe('large files', () => {
  it('are read in ranges when they cannot be read whole', async () => {
    proves('fileeditor.decided.large-range');
    const line = '0123456789abcdef0123456789abcde';
    const lines = Math.ceil(limits.wholeFileBytes / 32) + 1000;
    writeFileSync(join(root, 'big.txt'), Buffer.alloc(lines * 32, `${line}\n`));
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    const read = (range?: string) =>
      call(session, 'read_files', { path: 'big.txt', ...(range && { line_range: range }) });
    expect(await read()).toContain(
      `Error: Too large to read whole: big.txt has ${lines * 32} bytes, the limit is 67108864 bytes (64 MiB). Read a part of it with line_range`,
    );
    expect(await read(`${lines - 1}-${lines + 5}`)).toBe(`${lines - 1} | ${line}\n${lines} | ${line}`);
    expect(await read('1-2')).toBe(`1 | ${line}\n2 | ${line}`);
    expect(await read(`${lines + 1}-${lines + 1}`)).toBe(
      `Error: Line number ${lines + 1} exceeds file length (${lines} lines)`,
    );
    expect(await read(`1-${lines}`)).toContain('Error: Too large to read whole');
  });

  it('are read together up to the size limit of one file', async () => {
    writeFileSync(join(root, 'half.txt'), Buffer.alloc(limits.wholeFileBytes / 2, 'x'));
    writeFileSync(join(root, 'more.txt'), Buffer.alloc(limits.wholeFileBytes / 2 + 1, 'x'));
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    expect(await call(session, 'read_files', { path: ['half.txt', 'more.txt'] })).toBe(
      'Error: Too large to read whole: more.txt has 33554433 bytes, and 33554432 bytes are left of the 67108864 for all files of a call. Read a part of it with line_range',
    );
  });

  it('are refused when they have more lines than an answer can hold', async () => {
    writeFileSync(join(root, 'lines.txt'), Buffer.alloc(6_000_000, '\n'));
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    const read = (range = {}) => call(session, 'read_files', { path: 'lines.txt', ...range });
    const refused =
      'Error: Invalid arguments: 5000000 lines can be read in one call; ask for a smaller line_range';
    expect(await read()).toBe(refused);
    expect(await read({ line_range: '1-6000000' })).toBe(refused);
    expect(await read({ line_range: '5999999-7000000' })).toBe('5999999 | \n6000000 | ');
  });

  it('are edited up to the limit, and an edit that would exceed it is refused', async () => {
    const bytes = Buffer.alloc(limits.wholeFileBytes, 'x');
    bytes.write('ab', bytes.length - 2);
    writeFileSync(join(root, 'big.txt'), bytes);
    const session: Session = {};
    await call(session, 'set_workspace', { path: root });
    const edit = (replace: string) =>
      call(session, 'search_and_replace', { path: 'big.txt', search: 'ab', replace });
    expect(await edit('abc')).toContain('Error: Too large to write: big.txt would have 67108865 bytes');
    expect(await edit('c')).toBe('Successfully replaced 1 occurrence(s) in big.txt');
  });
});
