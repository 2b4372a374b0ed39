/** Arguments that a tool does not take are refused by a strict schema, and otherwise named in a note. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialectNamed } from '../../../src/dialects/by-name.ts';
import { callTool } from '../../../src/dialects/call.ts';
import type { Dialect, ToolContext, ToolOutcome } from '../../../src/dialects/dialect.ts';
import { dialects } from '../../../src/dialects/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

let directory: { path: string; remove(): void };
let engine: Engine;
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'one\ntwo\n' });
  engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
});
afterEach(async () => {
  await engine.close();
  directory.remove();
});

function call(dialect: Dialect, name: string, args: unknown, more: object = {}): Promise<ToolOutcome> {
  const tool = dialect.tools.find((each) => each.name === name)!;
  const context: Omit<ToolContext, 'note'> = {
    engine,
    caller: anonymous,
    session: {},
    signal: new AbortController().signal,
    home: directory.path,
    settings: {},
    progress: () => {},
  };
  return callTool(dialect, tool, args, { ...context, ...more });
}

/** What a tool of replay answers. */
async function texts(name: string, args: unknown): Promise<string[]> {
  const outcome = await call(dialectNamed('replay')!, name, args);
  if ('error' in outcome) throw new Error(outcome.error.message);
  return outcome.result.content.map((item) => (item.type === 'text' ? item.text : JSON.stringify(item)));
}

describe('every tool', () => {
  for (const dialect of dialects) {
    for (const { name, input } of dialect.tools) {
      it(`says what it did not use: ${name} of ${dialect.name}`, async () => {
        const outcome = await call(dialect, name, { zebra: 1 });
        const said =
          'error' in outcome
            ? outcome.error.message
            : outcome.result.content.map((item) => (item.type === 'text' ? item.text : '')).join('\n');
        if (input.additionalProperties === false) expect(said).toContain('unknown field: zebra');
        else expect(said).toContain(`[ignored: zebra; ${name} takes `);
      });
    }
  }
});

describe('a call with arguments that its tool does not take', () => {
  it('succeeds, and a second item names them', async () => {
    expect(await texts('read_file', { path: 'a.txt', offset: 2, limit: 1 })).toEqual([
      'one\ntwo\n',
      '[ignored: offset, limit; read_file takes path]',
    ]);
  });

  it('has no second item when there are none', async () => {
    expect(await texts('read_file', { path: 'a.txt' })).toEqual(['one\ntwo\n']);
  });

  it('gets a note that names those inside lists by their index', async () => {
    const edits = [
      { oldText: 'one', newText: '1' },
      { oldText: 'two', newText: '2', foo: true, 'a\nb': 0 },
    ];
    expect(await texts('edit_file', { path: 'a.txt', edits })).toEqual([
      'Successfully edited a.txt',
      '[ignored: edits[1].foo, edits[1]."a\\nb"; each of edits takes oldText, newText, limit, isRegex, caseInsensitive]',
    ]);
    expect(readBack(directory.path)).toEqual({ 'a.txt': '1\n2\n' });
  });

  it('gets a note that suggests similar names', async () => {
    const edits = [{ oldText: 'one', newText: '1', caseInsensitiv: true }];
    const [, note] = await texts('edit_file', { path: 'a.txt', edits, dry_run: true });
    expect(note).toContain('dry_run (did you mean dryRun?)');
    expect(note).toContain('edits[0].caseInsensitiv (did you mean caseInsensitive?)');
  });

  it('gets the note next to a JSON answer, with the tool name that the client used', async () => {
    const outcome = await call(
      dialectNamed('repo')!,
      'read_file',
      { path: 'a.txt', maxbytes: 3 },
      { calledAs: 'repo_read_file' },
    );
    const { result } = outcome as Extract<ToolOutcome, { result: unknown }>;
    expect(result.structuredContent).toMatchObject({ content: 'one\ntwo\n' });
    expect(result.content[1]).toEqual({
      type: 'text',
      text: '[ignored: maxbytes (did you mean max_bytes?); repo_read_file takes path, max_bytes, encoding]',
    });
  });

  it('gets the note in the message of a protocol error', async () => {
    const outcome = await call(dialectNamed('replay')!, 'edit_file', { path: 'a.txt', edit: [] });
    expect(outcome).toMatchObject({
      error: {
        code: -32602,
        message:
          'Invalid params: missing required field: edits\n[ignored: edit (did you mean edits?); edit_file takes path, edits, dryRun]',
      },
    });
  });

  it('is refused where the schema allows no others, with the similar name', async () => {
    const outcome = await call(dialectNamed('workspace')!, 'read_file', { file: 'a.txt', maxbytes: 1 });
    expect(JSON.stringify(outcome)).toContain('unknown field: maxbytes (did you mean maxBytes?)');
  });

  it('may use the hidden aliases, even together with their real names', async () => {
    const aliased = { path: '.', pattern: 'a.t' };
    expect(await texts('search_files', aliased)).toHaveLength(1);
    expect(await texts('search_files', { ...aliased, directory: '.' })).toHaveLength(1);
  });

  it('gets a short note, however many there are and however long', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${'n'.repeat(5000)}${i}`, i]));
    const [, note] = await texts('read_file', { path: 'a.txt', ...many });
    expect(note!.length).toBeLessThan(1000);
    expect(note).toContain('… 4990 more');
  });

  it('is refused when there are absurdly many, at any depth', async () => {
    const many = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`n${i}`, i]));
    const edits = [{ oldText: 'one', newText: '1', ...many }];
    const calls: [string, string, object][] = [
      ['standard', 'read_text_file', { path: 'a.txt', ...many }],
      ['workspace', 'read_file', { file: 'a.txt', ...many }],
      ['replay', 'edit_file', { path: 'a.txt', edits }],
    ];
    for (const [dialect, name, args] of calls) {
      const said = JSON.stringify(await call(dialectNamed(dialect)!, name, args));
      expect(said).toContain(`more than 5000 fields are unknown: send only those that ${name} takes`);
      expect(said.length).toBeLessThan(1000);
    }
    expect(readBack(directory.path)).toEqual({ 'a.txt': 'one\ntwo\n' });
  });
});
