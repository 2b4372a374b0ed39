/** Lists that are absurdly long are refused before any tool works on them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBySchema } from '../../../src/dialects/arguments/arguments.ts';
import { dialectNamed } from '../../../src/dialects/by-name.ts';
import { callTool } from '../../../src/dialects/call.ts';
import type { Session, Tool } from '../../../src/dialects/dialect.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

let directory: { path: string; remove(): void };
let engine: Engine;
let session: Session;
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'one\n' });
  engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
  session = {};
});
afterEach(async () => {
  await engine.close();
  directory.remove();
});

async function answer(named: string, name: string, args: unknown): Promise<string> {
  const dialect = dialectNamed(named)!;
  const tool = dialect.tools.find((each) => each.name === name)!;
  const outcome = await callTool(dialect, tool, args, {
    engine,
    caller: anonymous,
    session,
    signal: new AbortController().signal,
    home: directory.path,
    settings: {},
    progress: () => {},
  });
  if ('error' in outcome) return outcome.error.message;
  return outcome.result.content.map((item) => (item.type === 'text' ? item.text : '')).join('\n');
}

const numbered = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name}${i}`);

describe('globs', () => {
  const calls: [dialect: string, tool: string, args: (globs: string[]) => object][] = [
    ['standard', 'search_files', (excludePatterns) => ({ path: '.', pattern: '*', excludePatterns })],
    ['standard', 'directory_tree', (excludePatterns) => ({ path: '.', excludePatterns })],
    ['replay', 'glob_search', (globs) => ({ directory: '.', globs: [...globs.slice(1), '*.txt'] })],
    ['replay', 'glob_search', (excludeGlobs) => ({ directory: '.', globs: ['**'], excludeGlobs })],
    ['replay', 'search_files', (excludeGlobs) => ({ directory: '.', nameContains: 'a', excludeGlobs })],
    ['replay', 'grep_files', (excludeGlobs) => ({ directory: '.', regex: 'one', excludeGlobs })],
    ['replay', 'grep_files', (globs) => ({ regex: 'one', globs: [...globs.slice(1), '*.txt'] })],
  ];
  it.each(calls)('may be many, but no more than 1000, in %s %s', async (dialect, tool, args) => {
    expect(await answer(dialect, tool, args(numbered(1000, 'x')))).toContain('a.txt');
    const refused = await answer(dialect, tool, args(numbered(1001, 'x')));
    expect(refused).toContain(
      'is one of 1001 globs, a list may have 1000; put some together with * or {a,b}',
    );
  });
});

describe('files of fileeditor', () => {
  it('are refused if one is named twice, or if there are too many', async () => {
    await answer('fileeditor', 'set_workspace', { path: directory.path });
    const calls: [string, object][] = [
      ['write_files', { content: 'x', line_count: 1 }],
      ['insert_contents', { content: 'x', line: 1 }],
    ];
    for (const [tool, args] of calls) {
      // If the engine looked for the files first, it would complain about the first one instead.
      const twice = await answer('fileeditor', tool, { ...args, path: ['no/../b.txt', 'a.txt', 'a.txt'] });
      expect(twice).toContain('path names the same file twice: items 2 and 3 are a.txt; nothing was changed');
      const many = await answer('fileeditor', tool, { ...args, path: numbered(5001, 'new') });
      expect(many).toContain('path has 5001 items, one call changes at most 5000 files');
    }
    expect(readBack(directory.path)).toEqual({ 'a.txt': 'one\n' });
  });
});

describe('edits', () => {
  it.each(['standard', 'replay'])('may be 10000 for %s, and more change nothing', async (dialect) => {
    const edits = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        oldText: i % 2 ? 'two' : 'one',
        newText: i % 2 ? 'one' : 'two',
      }));
    const refused = await answer(dialect, 'edit_file', {
      path: `${directory.path}/a.txt`,
      edits: edits(10_001),
    });
    expect(refused).toContain('edits has 10001 items, one call takes at most 10000');
    expect(readBack(directory.path)).toEqual({ 'a.txt': 'one\n' });
    await answer(dialect, 'edit_file', { path: `${directory.path}/a.txt`, edits: edits(9_999) });
    expect(readBack(directory.path)).toEqual({ 'a.txt': 'two\n' });
  });
});

describe('a tree of small objects', () => {
  it('is checked over several turns of the event loop', async () => {
    const tree = (depth: number): object => (depth === 0 ? [] : { a: tree(depth - 1), b: tree(depth - 1) });
    const { input } = dialectNamed('replay')!.tools.find(({ name }) => name === 'read_file')!;
    const sent = { path: 'a.txt', more: tree(17) };
    await new Promise((resolve) => setImmediate(resolve));
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await checkBySchema({ input, aliases: {} } as Tool, sent);
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('objects in a list of texts', () => {
  it.each<[dialect: string, tool: string, list: string, sent: object, says: string]>([
    ['replay', 'read_multiple_files', 'paths', {}, 'paths[1] must be a string, not object'],
    [
      'fileeditor',
      'write_files',
      'path',
      { content: 'x', line_count: 1 },
      'path must be a string or an array of strings',
    ],
  ])('are refused without visiting their members: %s %s', async (dialect, tool, list, sent, says) => {
    let looks = 0;
    const members = (target: object) => {
      looks++;
      return Reflect.ownKeys(target);
    };
    const object = new Proxy({ a: 1 }, { ownKeys: members });
    await answer('fileeditor', 'set_workspace', { path: directory.path });
    expect(await answer(dialect, tool, { ...sent, [list]: ['a.txt', object] })).toContain(says);
    expect(looks).toBe(0);
  });
});
