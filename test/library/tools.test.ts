/** The tools of a dialect for a model in the same program, which are performed as in a server. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenFiles, open, openState } from '../../src/library/index.ts';
import { TraceLog } from '../../src/trace/log.ts';
import { layOut, readBack, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let home: string;
let files: OpenFiles;
beforeEach(async () => {
  directory = temporaryDirectory();
  home = directory.path;
  layOut(home, { 'app/a.txt': 'one\n', 'app/.env': 'TOKEN=1\n' });
  files = await open('~/app', { home, environment: {}, deny: ['secrets'] });
});
afterEach(async () => {
  await files.close();
  directory.remove();
});

it('declares tools with their schemas, and leaves out those that could only fail', async () => {
  const { declarations, instructions } = await files.tools();
  expect(declarations.map(({ name }) => name)).toContain('write_file');
  expect(declarations.map(({ name }) => name)).not.toContain('run_command');
  expect(declarations.find(({ name }) => name === 'edit_file')).toMatchObject({
    description: expect.any(String),
    inputSchema: { type: 'object', required: ['path', 'edits'] },
    annotations: { readOnlyHint: false },
  });
  expect(instructions).toContain(join(home, 'app'));
  const reading = await open('~/app', { home, environment: {}, readOnly: true });
  const names = (await reading.tools()).declarations.map(({ name }) => name);
  expect(names).toContain('read_text_file');
  expect(names).not.toContain('write_file');
  await reading.close();
});

it('answers as a server does, also with errors, and never rejects', async () => {
  const { call } = await files.tools();
  const says = async (name: string, args: unknown) => {
    const { text, isError } = await call(name, args);
    return [isError, text];
  };
  expect(await says('read_text_file', { path: 'a.txt', heads: 1 })).toEqual([
    false,
    expect.stringMatching(/^one\n\n\[ignored: heads \(did you mean head\?\)/),
  ]);
  expect(await says('read_text_file', { path: '.env' })).toEqual([
    true,
    expect.stringMatching(/^Access denied/),
  ]);
  expect(await says('read_text_file', 'a.txt')).toEqual([true, 'arguments must be an object, not string']);
  expect(await says('read_text_file', undefined)).toEqual([true, 'missing required field: path']);
  expect(await says('read_txt', {})).toEqual([true, expect.stringMatching(/^Unknown tool: read_txt/)]);
  // A server reports failures of this dialect as protocol errors; here they are answers.
  const replay = await files.tools({ dialect: 'replay' });
  expect(await replay.call('read_file', { path: 'b.txt' })).toMatchObject({ isError: true });
});

it('performs calls of the same paths in the order in which they are made', async () => {
  const { call } = await files.tools();
  const edit = (oldText: string, newText: string) =>
    call('edit_file', { path: 'n.txt', edits: [{ oldText, newText }] });
  const answers = await Promise.all([
    call('write_file', { path: 'n.txt', content: '1' }),
    edit('1', '2'),
    call('read_text_file', { path: 'n.txt' }),
    edit('2', '3'),
  ]);
  expect(answers.map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(answers[2]!.text).toBe('2');
  expect(readBack(join(home, 'app'))).toMatchObject({ 'n.txt': '3' });
});

it('records changes in the history and calls in the trace', async () => {
  const { call } = await files.tools();
  await call('write_file', { path: 'a.txt', content: 'two\n' });
  const [entry] = await files.history();
  expect(entry).toMatchObject({ origin: { dialect: 'standard', tool: 'write_file' } });
  await files.undo(entry!.id);
  expect(await files.read('a.txt')).toBe('one\n');
  await files.close();
  const log = new TraceLog(openState(join(home, '.local/state/cofferdam')), { onProblem: () => {} });
  const events = await log.recent(10);
  await log.close();
  expect(events).toEqual([expect.objectContaining({ tool: 'write_file', dialect: 'standard' })]);
});

it('does not perform a call whose signal is aborted', async () => {
  const { call } = await files.tools();
  const signal = AbortSignal.abort();
  expect(await call('write_file', { path: 'n.txt', content: 'n' }, { signal })).toMatchObject({
    isError: true,
  });
  expect(await files.find('n.txt')).toEqual([]);
});

it('refuses a dialect or a tool that does not exist', async () => {
  await expect(files.tools({ dialect: 'none' })).rejects.toThrow(
    /unknown dialect 'none': it is one of standard/,
  );
  await expect(files.tools({ only: ['read'] })).rejects.toThrow(
    /unknown tool 'read': the tools of standard are/,
  );
  await expect(files.tools({ only: ['run_command'] })).rejects.toThrow(RangeError);
  const { declarations } = await files.tools({ only: ['undo', 'read_file'] });
  expect(declarations.map(({ name }) => name)).toEqual(['read_file', 'undo']);
});
