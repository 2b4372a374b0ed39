/** No answer is longer than its budget, and following the next calls returns everything exactly once. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { soak } from '../../soak.ts';
import type { Tree } from '../../tree.ts';
import { randomLines, randomNumbers } from './drop-in-tree.ts';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

const BUDGETS = soak([200], [200, 500, 2000]);
/** No walk through pages takes more calls. */
const MOST_CALLS = 2000;

let fixture: StandardFixture;
/** Shared by most searches, because starting search threads takes as long as many pages. */
let searched: StandardFixture | undefined;

afterEach(() => (fixture === searched ? undefined : fixture.close()));
afterAll(() => searched?.close());

const FILES = soak(16, 40);

/** Files with eight needles each. */
function needles(): Tree {
  const random = randomNumbers(FILES);
  const tree: Tree = {};
  for (let index = 0; index < FILES; index++) {
    const texts = randomLines(random, 30).map((line, at) =>
      at % 4 === 0 ? `${line} needle ${index}.${at}` : line,
    );
    tree[`d${index % 3}/f${index}.txt`] = `${texts.join('\n')}\n`;
  }
  return tree;
}

/** All answers, from a call to the one that names no next call. Each must keep to the budget. */
async function pages(tool: string, args: Record<string, unknown>, maxTokens: number): Promise<string[]> {
  const answers: string[] = [];
  let next: [string, Record<string, unknown>] | undefined = [tool, args];
  while (next) {
    expect(answers.length).toBeLessThan(MOST_CALLS);
    const texts: string[] = await fixture.call(...next, maxTokens);
    expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(maxTokens * 4);
    const [, name, sent] = /^\[.*?; next: (\w+) (\{.*\})\]$/.exec(texts.join('\n').split('\n').at(-1)!) ?? [];
    next = name === undefined ? undefined : [name, JSON.parse(sent!) as Record<string, unknown>];
    answers.push(next ? withoutLastLine(texts[0]!) : texts[0]!);
  }
  return answers;
}

/** Removes the note. If it follows a truncated line, the newline before it goes as well. */
function withoutLastLine(text: string): string {
  const end = text.lastIndexOf('\n');
  return text.startsWith('[line ', end + 1) ? text.slice(0, end) : text.slice(0, end + 1);
}

const WIDE = `${'0123456789'.repeat(900)}😀${'é😀'.repeat(700)}`;

describe.each(BUDGETS)('with %i tokens', (maxTokens) => {
  const random = randomNumbers(maxTokens);
  const lines = randomLines(random, soak(400, 700));

  it.each([
    ['\n', 'lines'],
    ['\r\n', 'lines that end in CRLF'],
  ])('read_text_file returns every line of a file with %j', async (end) => {
    proves('standard.budget.every-line', 'standard.budget.max-tokens');
    const whole = [...lines.slice(0, 300), '', WIDE, '', ...lines.slice(300)].join(end);
    fixture = openStandardFixture({ 'a.txt': `${whole}${end}` });
    const read = (await pages('read_text_file', { path: 'a.txt' }, maxTokens)).join('');
    expect(read).toBe(`${whole}${end}`);
  });

  it.each(['numbered', 'anchors'])('read_text_file returns every line, with %s', async (label) => {
    proves('standard.budget.every-line');
    fixture = openStandardFixture({ 'a.txt': lines.map((line) => `${line}\n`).join('') });
    const answers = await pages('read_text_file', { path: 'a.txt', [label]: true }, maxTokens);
    const read = answers.flatMap((answer) => answer.replace(/\n$/, '').split('\n'));
    expect(read.map((line) => line.replace(/^(\d+)(#..)?\| /, '$1 '))).toEqual(
      lines.map((line, index) => `${index + 1} ${line}`),
    );
  });

  it('list_directory and list_directory_with_sizes return every entry', async () => {
    proves('standard.budget.every-entry');
    const names = Array.from({ length: 300 }, (_, index) => `file ${index} ${'n'.repeat(index % 60)}.txt`);
    fixture = openStandardFixture(Object.fromEntries(names.map((name) => [name, 'x'])));
    for (const tool of ['list_directory', 'list_directory_with_sizes']) {
      const answers = await pages(tool, { path: '.' }, maxTokens);
      const listed = answers.flatMap((answer) => [...answer.matchAll(/^\[FILE\] (file \d+ n*\.txt)/gm)]);
      expect(listed.map(([, name]) => name).sort()).toEqual([...names].sort());
    }
  });

  it('search_files returns every path, and history every change', async () => {
    proves('standard.budget.every-entry');
    fixture = openStandardFixture({ './': '' });
    const names = Array.from({ length: 60 }, (_, index) => `d${index % 7}/file-${index}.ts`);
    for (const path of names) await fixture.call('write_file', { path, content: 'x' }, 20_000);
    const found = (await pages('search_files', { path: '.', pattern: '**/*.ts' }, maxTokens))
      .join('')
      .trimEnd();
    expect(found.split('\n').sort()).toEqual(names.map((name) => `${fixture.root}/${name}`).sort());
    const changes = (await pages('history', {}, maxTokens)).join('\n');
    expect([...changes.matchAll(/created \S*(d\d\/file-\d+\.ts)/g)].map(([, name]) => name)).toEqual(
      [...names].reverse(),
    );
  });

  it.each([{}, { context: 2 }, { output: 'files' }, { output: 'count' }, { anchors: true }])(
    'grep_files returns every match, with %j',
    async (how) => {
      proves('standard.budget.every-match');
      const tree = needles();
      searched ??= openStandardFixture(tree);
      fixture = searched;
      const args = { pattern: 'needle', limit: 50, ...how };
      const text = (await pages('grep_files', args, maxTokens)).join('');
      if ('output' in how) {
        const files = [...text.matchAll(/^(d\d\/f\d+\.txt)(: 8)?$/gm)].map(([, path]) => path);
        expect(files.sort()).toEqual(Object.keys(tree).sort());
        return;
      }
      const matches = [...text.matchAll(/^\d+(?:: |#..\| ).*needle (\d+\.\d+)$/gm)].map(([, id]) => id);
      expect(matches.length).toBe(FILES * 8);
      expect(new Set(matches).size).toBe(FILES * 8);
    },
  );

  it('grep_files returns every line around a match once', async () => {
    proves('standard.budget.every-match');
    const text = Array.from(
      { length: 60 },
      (_, at) => `${at} ${'é'.repeat(random() * 12)}${random() < 0.25 ? ' needle' : ''}\n`,
    ).join('');
    fixture = openStandardFixture({ 'd/a.txt': text, 'd/b.txt': text });
    const linesIn = (answers: string[]) =>
      answers.flatMap((answer) => [...answer.matchAll(/^\d+[:-] .*$/gm)].map(([line]) => line));
    for (const path of ['d', 'd/a.txt']) {
      const args = { pattern: 'needle', path, context: 3 };
      const whole = linesIn(await fixture.call('grep_files', args, 20_000));
      expect(whole.length).toBeGreaterThan(30);
      expect(linesIn(await pages('grep_files', args, maxTokens))).toEqual(whole);
      expect(linesIn(await pages('grep_files', { ...args, limit: 1 }, 20_000))).toEqual(whole);
    }
  });

  it('read_multiple_files shares its budget, and every truncated file can be continued', async () => {
    proves('standard.budget.every-line');
    const files: Tree = {
      'a.txt': `${lines.join('\n')}\n`,
      'b.txt': 'short\n',
      'c.txt': `${lines.slice(0, 90).join('\n')}\n`,
    };
    fixture = openStandardFixture(files);
    const text = (await pages('read_multiple_files', { paths: Object.keys(files) }, maxTokens)).join(
      '\n---\n',
    );
    const parts = [...text.matchAll(/([abc]\.txt):\n([\s\S]*?)\n(?=\n---\n|$)/g)];
    expect(parts.map(([, name]) => name)).toEqual(Object.keys(files));
    for (const [, name, own] of parts) {
      const [note, sent] = /\[lines? [^\n]*; next: read_text_file (\{.*\})\]$/.exec(own!) ?? ['', undefined];
      const more =
        sent === undefined
          ? []
          : await pages('read_text_file', JSON.parse(sent) as Record<string, unknown>, maxTokens);
      const start = note === '' ? own! : withoutLastLine(own!);
      expect([start, ...more].join('')).toBe(files[name!]);
    }
  });

  it('directory_tree counts what it leaves out, and a call for each of these directories shows it', async () => {
    proves('standard.budget.json-tree');
    const tree: Tree = {};
    for (let index = 0; index < 120; index++)
      tree[`a${index % 3}/b${index % 4}/c${index % 5}/file-${index}`] = '';
    fixture = openStandardFixture(tree);
    const files = await filesBelow('.', maxTokens);
    expect(files.map((path) => path.replace(/^\.\//, '')).sort()).toEqual(Object.keys(tree).sort());
  });
});

interface Node {
  name?: string;
  type?: 'file' | 'directory';
  children?: Node[];
  more?: number;
}

/** The files of a tree, and of each directory in it that is marked as left out. */
async function filesBelow(path: string, maxTokens: number): Promise<string[]> {
  const texts = await fixture.call('directory_tree', { path }, maxTokens);
  expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(maxTokens * 4);
  const below = async (nodes: readonly Node[], at: string): Promise<string[]> => {
    const found: string[] = [];
    for (const { name, children = [], more } of nodes) {
      const own = `${at}/${name}`;
      if (name === undefined) found.push(...(await restOf(at, nodes.length - 1, maxTokens)));
      else if (more !== undefined) found.push(...(await filesBelow(own, maxTokens)));
      else if (children.length === 0) found.push(own);
      else found.push(...(await below(children, own)));
    }
    return found;
  };
  return below(JSON.parse(texts[0]!) as Node[], path);
}

/** If not even the first level fits, list_directory continues. */
async function restOf(path: string, offset: number, maxTokens: number): Promise<string[]> {
  const listed = (await pages('list_directory', { path, offset }, maxTokens)).join('');
  const found: string[] = [];
  for (const [, type, name] of listed.matchAll(/^\[(FILE|DIR)\] (.*)$/gm)) {
    if (type === 'FILE') found.push(`${path}/${name}`);
    else found.push(...(await filesBelow(`${path}/${name}`, maxTokens)));
  }
  return found;
}

it('grep_files counts every matching line, however long the lines are together', async () => {
  proves('standard.grep_files.count');
  fixture = openStandardFixture({ 'a.txt': 'straw\n'.repeat(1_100_000) });
  const [text] = await fixture.call('grep_files', { pattern: '^straw$', output: 'count' }, 1000);
  expect(text!.split('\n')[1]).toBe('a.txt: 1100000');
});
