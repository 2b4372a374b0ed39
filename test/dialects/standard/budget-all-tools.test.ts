/** No answer of any tool is longer than its budget, errors included, whatever names, texts and mistakes a call has. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import type { Tree } from '../../tree.ts';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

const TOKENS = 300;
const LONG = 'n'.repeat(240);
const DEEP = [LONG, LONG, LONG, LONG].join('/');
const CONTROL = '\u0001'.repeat(200);
const WIDE = `${'w'.repeat(50_000)}\n${'é😀'.repeat(9000)}\nend\n`;
function numbered<T>(count: number, of: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(index));
}

let fixture: StandardFixture;

beforeAll(() => {
  const tree: Tree = {
    'a.txt': 'one\ntwo\nthree\n',
    'big.txt': `${numbered(3000, (index) => `line ${index} ${'x'.repeat(index % 90)}`).join('\n')}\n`,
    'wide.txt': WIDE,
    'same.txt': 'same\n'.repeat(3000),
    'marks.txt': `${'\u0001\u202e'.repeat(200)}\n`.repeat(50),
  };
  for (let index = 0; index < 60; index++) tree[`m${index}.txt`] = 'x\n';
  for (let index = 0; index < 12; index++) tree[`${DEEP}/${LONG}${index}`] = 'needle\n'.repeat(20);
  for (let index = 0; index < 20; index++) tree[`odd/${CONTROL}${index}`] = '';
  fixture = openStandardFixture(tree);
});

afterAll(() => fixture.close());

/** The answer of a call, whether it succeeds or fails. */
async function answer(tool: string, args: Record<string, unknown>): Promise<string> {
  const texts = await fixture.call(tool, args, TOKENS).catch((error: Error) => [error.message]);
  expect(
    Buffer.byteLength(texts.join('')),
    `${tool} ${JSON.stringify(args).slice(0, 80)}`,
  ).toBeLessThanOrEqual(TOKENS * 4);
  return texts.join('\n');
}

describe('with 300 tokens', () => {
  it.each([
    ['a deep path', `${DEEP}/${LONG}0`],
    ['a name that is too long', 'x'.repeat(5000)],
    ['too many names', 'x/'.repeat(3000)],
    ['a path outside', `../${'z'.repeat(3000)}`],
    ['a Windows path', `C:\\${'w'.repeat(5000)}`],
    ['control characters', CONTROL],
    ['a wide file', 'wide.txt'],
    ['a file of direction marks', 'marks.txt'],
    ['a directory with long names', DEEP],
    ['a directory with control characters', 'odd'],
  ])('every tool keeps to its budget, with %s', async (_, path) => {
    proves('standard.budget.max-tokens');
    for (const tool of ['get_file_info', 'list_directory', 'list_directory_with_sizes', 'directory_tree'])
      await answer(tool, { path });
    for (const more of [{}, { anchors: true }, { numbered: true, hash: true }, { head: 999 }, { tail: 999 }])
      await answer('read_text_file', { path, ...more });
    await answer('read_multiple_files', { paths: [path, path, 'a.txt', 'wide.txt'] });
    for (const more of [{}, { context: 5 }, { anchors: true }, { output: 'files' }, { output: 'count' }])
      await answer('grep_files', { path, pattern: '.', ...more });
    await answer('search_files', { path, pattern: '**' });
    await answer('history', { path });
    await answer('edit_file', { path, edits: [{ oldText: 'nope', newText: 'x' }] });
    await answer('write_file', { path, content: 'x', ifHash: '00000000' });
    await answer('move_file', { source: `${path}1`, destination: `${path}/2` });
    await answer('delete_file', { path: `${path}1` });
    await answer('create_directory', { path: 'a.txt/b' });
  });

  it.each([
    ['a long oldText', 'a.txt', { oldText: 'o'.repeat(9000), newText: 'x' }],
    ['an oldText of many lines', 'a.txt', { oldText: `one\n${'o\n'.repeat(900)}`, newText: 'x' }],
    ['stale anchors of long lines', 'wide.txt', { lines: '1#zz-2#yy', newText: 'x' }],
    ['what is no anchor', 'a.txt', { lines: 'q'.repeat(9000), newText: 'x' }],
    ['a long pattern', 'a.txt', { oldText: '('.repeat(9000), regex: true, newText: 'x' }],
  ])('edit_file refuses %s in few words', async (_, path, edit) => {
    proves('standard.budget.max-tokens');
    await answer('edit_file', { path, edits: [edit] });
  });

  it('edit_file shows the first lines of a long diff, and how to read on', async () => {
    proves('standard.budget.max-tokens');
    const all = { oldText: 'same', newText: 'other', all: true };
    const dry = await answer('edit_file', { path: 'same.txt', edits: [all], dryRun: true });
    expect(dry).toMatch(/\n-same\n```\n\n\[\d+ of 6,001 lines of the diff\]\n$/);
    const text = numbered(500, (index) => `new ${index}\n`).join('');
    const done = await answer('edit_file', {
      path: 'big.txt',
      edits: [{ oldText: 'line 7 ', newText: text }],
    });
    const [, last, offset] =
      /\n\+new (\d+)\n```\n\n\[\d+ of 5\d\d lines of the diff; next: read_text_file \{"path":"big.txt","offset":(\d+)\}\]/.exec(
        done,
      )!;
    const rest = await answer('read_text_file', { path: 'big.txt', offset: Number(offset) });
    expect(rest.split('\n')[0]).toBe(`new ${Number(last) + 1}`);
    await answer('edit_file', { path: 'wide.txt', edits: [{ oldText: 'end', newText: 'x' }] });
  });

  it('apply_patch, history and undo count what they do not show', async () => {
    proves('standard.budget.max-tokens');
    const added = numbered(60, (index) => `*** Add File: new/${'q'.repeat(40)}${index}\n+x\n`).join('');
    const patch = `*** Begin Patch\n${added}*** End Patch`;
    expect(await answer('apply_patch', { patch })).toMatch(/\n\[\d+ more files\]$/);
    await answer('history', {});
    expect(await answer('undo', {})).toMatch(/\n {2}and \d+ more$/);
    for (const wrong of [
      'q'.repeat(5000),
      `*** Begin Patch\n*** Add File: ${'q'.repeat(5000)}\n+x\n*** End Patch`,
    ])
      await answer('apply_patch', { patch: wrong });
    const context = numbered(100, (index) => ` none ${index} ${'z'.repeat(200)}\n`).join('');
    await answer('apply_patch', {
      patch: `*** Begin Patch\n*** Update File: big.txt\n@@\n${context}-x\n*** End Patch`,
    });
  });

  it('undo and ifHash show the start of the difference when somebody else has changed the file', async () => {
    proves('standard.budget.max-tokens');
    await answer('write_file', { path: 's.txt', content: 'one\n' });
    writeFileSync(join(fixture.root, 's.txt'), numbered(2000, (index) => `c${index}`).join('\n'));
    expect(await answer('undo', {})).toMatch(/\n\+c0\n[\s\S]*\n\[[\d,]+ more lines\]$/);
    const [text] = await fixture.call('read_text_file', { path: 'a.txt', hash: true }, TOKENS);
    const [, ifHash] = /\[hash (\w+)\]/.exec(text!)!;
    writeFileSync(join(fixture.root, 'a.txt'), numbered(2000, (index) => `d${index}`).join('\n'));
    const stale = await answer('write_file', { path: 'a.txt', content: 'x', ifHash });
    expect(stale).toMatch(/\n-one\n[\s\S]*\n\+d0\n[\s\S]*\n\[[\d,]+ more lines\]$/);
    await answer('delete_file', { path: 'a.txt', ifHash: 'q'.repeat(5000) });
    await answer('undo', { entry: 'q'.repeat(9000) });
  });

  it('a next call that is too long to repeat is named by what changes in it', async () => {
    proves('standard.budget.max-tokens');
    const long = `e|${'b'.repeat(9000)}`;
    const found = await answer('grep_files', { pattern: long });
    expect(found).toMatch(/; next: grep_files with the same arguments and \{"offset":\d+\}\]$/);
    await answer('grep_files', { pattern: `(${'a'.repeat(9000)}` });
    await answer('search_files', { path: '.', pattern: `{${'a,'.repeat(5000)}}` });
    await answer('search_files', { path: '.', pattern: '**', excludePatterns: ['q'.repeat(5000)] });
    const paths = numbered(60, (index) => `m${index}.txt`);
    const several = await answer('read_multiple_files', { paths: [...paths, ...paths] });
    expect(several).toMatch(
      /\[(\d+) more files; next: read_multiple_files with the last \1 of these paths\]$/,
    );
  });

  it('wrong or unknown arguments are named in few words', async () => {
    proves('standard.budget.max-tokens');
    const unknown = Object.fromEntries(
      numbered(200, (index) => [`${'z'.repeat(80)}${index}`, index] as const),
    );
    await answer('edit_file', { path: 'a.txt', edits: Array(300).fill({}) });
    await answer('read_text_file', { path: 'a.txt', ...unknown });
    const cut = await answer('read_text_file', { path: 'big.txt', ...unknown });
    expect(cut).toMatch(
      /\n\[lines 1-\d+ of [\d,]+; next: read_text_file \{"path":"big.txt","offset":\d+\}\]\n\[ignored: /,
    );
  });
});
