/** Files in other encodings through the tools, with random files, edits and patterns. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool } from '../../../src/dialects/call.ts';
import type { Session } from '../../../src/dialects/dialect.ts';
import { replay } from '../../../src/dialects/replay/index.ts';
import { standard } from '../../../src/dialects/standard/index.ts';
import { decode, decodeUnmarked, encode } from '../../../src/engine/charset/codec.ts';
import { encodingOf } from '../../../src/engine/charset/encoding-of.ts';
import { anonymous, CHARSETS, Engine } from '../../../src/engine/index.ts';
import { type Random, randomBytes, randomText, seeded } from '../../engine/charset/charset-fixture.ts';
import { proves } from '../../proves.ts';
import { soak } from '../../soak.ts';
import { temporaryDirectory } from '../../tree.ts';

/** Encodings with one byte per character differ only in a table, which has tests of its own. */
const ONE_BYTE = /^(?:iso|windows|koi8)-/;
const charsets = CHARSETS.filter((name) => !name.startsWith('utf-8'));
const few = charsets.filter(
  (name) => !ONE_BYTE.test(name) || ['windows-1252', 'iso-8859-1', 'iso-8859-8', 'koi8-r'].includes(name),
);

let root: string;
let engine: Engine;
let remove: () => void;
const session: Session = {};

beforeAll(() => {
  const made = temporaryDirectory();
  [root, remove] = [made.path, made.remove];
  const encodings = charsets.map((charset) => ({ glob: `*.${charset}`, charset }));
  engine = new Engine({ roots: [{ path: root, writable: true }], encodings });
});
afterAll(async () => {
  await engine.close();
  remove();
});

interface Answer {
  text: string;
  isError: boolean;
}

async function call(name: string, args: object, dialect = standard): Promise<Answer> {
  const tool = dialect.tools.find((each) => each.name === name)!;
  const signal = new AbortController().signal;
  const context = { engine, caller: anonymous, session, signal, home: '/', settings: {}, progress: () => {} };
  const outcome = await callTool(dialect, tool, args, context);
  if ('error' in outcome) return { text: outcome.error.message, isError: true };
  const [first] = outcome.result.content;
  return {
    text: first && 'text' in first ? first.text : JSON.stringify(first),
    isError: outcome.result.isError ?? false,
  };
}

/** Writes a file of random bytes, most of them text, and decodes it. */
function makeFile(name: string, charset: string, bytes: Buffer): { path: string; text: string } {
  writeFileSync(join(root, name), bytes);
  return { path: name, text: decodeUnmarked(bytes, charset) };
}

/** A stretch that occurs in the text only once, by its indices. */
function place(text: string, random: Random): { from: number; to: number } | undefined {
  for (let i = 0; i < 20; i++) {
    const from = random(text.length);
    const to = Math.min(text.length, from + 1 + random(12));
    const part = text.slice(from, to);
    if (/[\r\ud800-\udfff]/.test(part) || /[\ud800-\udfff]/.test(text.slice(from - 1, to + 1))) continue;
    if (text.indexOf(part) === text.lastIndexOf(part)) return { from, to };
  }
  return undefined;
}

describe.each(soak(few, charsets))('%s', (charset) => {
  it('is edited only in the bytes that an edit replaces', async () => {
    proves('standard.encodings.edit.bytes');
    const random = seeded(charset.length * 31);
    let edits = 0;
    for (let i = 0; i < soak(10, 25); i++) {
      const bytes = charset.startsWith('utf-16')
        ? (encode(`${randomText(random, ['上', 'é', '\ud800', '\u{1f600}'], 60)}\u0a0a`, charset) as Buffer)
        : Buffer.concat([Buffer.from([0xe9, 10]), randomBytes(random, 20 + random(60))]);
      const judged = encodingOf(bytes, () => charset);
      if ('notText' in judged || judged.charset !== charset) continue;
      const { path, text } = makeFile(`edit.${charset}`, charset, bytes);
      const at = place(text, random);
      if (!at) continue;
      const oldText = text.slice(at.from, at.to);
      const { text: said, isError } = await call('edit_file', {
        path,
        edits: [{ oldText, newText: 'NEW' }],
      });
      const after = readFileSync(join(root, path));
      if (said.includes('has a broken character')) {
        expect(after.equals(bytes)).toBe(true);
        continue;
      }
      expect({ said, isError, oldText }).toMatchObject({ isError: false });
      const put = Buffer.from(encode('NEW', charset) as Buffer);
      // One stretch of the old bytes decodes to the old text, and nothing else differs.
      const start = firstDifference(bytes, after);
      const tail = bytes.length - (after.length - put.length);
      const found = [...Array(start + 1).keys()].some((from) => {
        const [head, old, rest] = [
          bytes.subarray(0, from),
          bytes.subarray(from, from + tail),
          bytes.subarray(from + tail),
        ];
        return decodeUnmarked(old, charset) === oldText && Buffer.concat([head, put, rest]).equals(after);
      });
      expect({ found, before: bytes.toString('hex'), after: after.toString('hex'), oldText }).toMatchObject({
        found: true,
      });
      expect(decodeUnmarked(after, charset)).toBe(`${text.slice(0, at.from)}NEW${text.slice(at.to)}`);
      edits++;
    }
    expect(edits).toBeGreaterThan(5);
  });

  it('is read, searched and written without losing a byte, whatever it holds', async () => {
    proves('standard.encodings.searched');
    const random = seeded(charset.length * 77);
    for (let i = 0; i < soak(3, 8); i++) {
      const bytes = Buffer.concat([
        randomBytes(random, 40 + random(200)),
        Buffer.from([0xfc, 0x20, 0xe9, 10]),
      ]);
      const path = `fuzz.${charset}`;
      writeFileSync(join(root, path), bytes);
      const judged = encodingOf(bytes, () => charset);
      const { text, isError } = await call('read_text_file', { path });
      if ('notText' in judged) {
        expect(isError).toBe(true);
        continue;
      }
      const whole = decode(bytes, judged);
      expect(text).toBe(whole);
      const patterns = ['\\d', '[^\\x00-\\x7f]{2}', '\uFFFD', whole.slice(2, 4).replace(/\W/gu, '.')];
      for (const pattern of patterns) {
        const found = await call('grep_files', { path, pattern, limit: 10_000 });
        const lines = whole.split('\n').map((line) => line.replace(/\r$/, ''));
        if (lines.at(-1) === '') lines.pop();
        const expected = lines.flatMap((line, index) =>
          new RegExp(pattern).test(line) ? [`${index + 1}: ${line}`] : [],
        );
        const head = [`In ${root}:`, path];
        const shown =
          expected.length === 0 ? [`No matches found in ${join(root, path)}`] : [...head, ...expected];
        expect(found.text.split('\n')).toEqual(shown);
      }
      expect(readFileSync(join(root, path)).equals(bytes)).toBe(true);
    }
  });
});

function firstDifference(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

describe('a large file', () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => `${index} 上 é text of a line ਊ`);

  it.each([
    ['utf-16le', true],
    ['utf-16be', true],
    ['utf-16le', false],
    ['gbk', false],
  ] as const)('in %s, marked %s, gives the same parts as a small one', async (charset, marked) => {
    proves('standard.encodings.large');
    const text = `${charset === 'gbk' ? lines.map((line) => line.slice(0, -1)).join('\n') : lines.join('\n')}\n`;
    const path = `large-${marked}.${charset}`;
    const body = encode(`${marked ? '\uFEFF' : ''}${text}`, charset) as Buffer;
    writeFileSync(join(root, path), body);
    expect(statSync(join(root, path)).size).toBeGreaterThan(1 << 20);
    const all = text.split('\n');
    const part = (from: number, to: number) => `${all.slice(from - 1, to).join('\n')}\n`;
    const read = async (args: object) => (await call('read_text_file', { path, ...args })).text;
    expect(await read({ offset: 31_415, limit: 3 })).toContain(part(31_415, 31_417));
    expect(await read({ tail: 3 })).toBe(all.slice(-3).join('\n'));
    expect(await read({ head: 2 })).toBe(part(1, 2).slice(0, -1));
    expect(await read({})).toContain('of 60,000; next: read_text_file');
    expect(await read({ offset: 59_999, column: 3, limit: 1 })).toContain(all[59_998]!.slice(2));
    expect((await call('grep_files', { path, pattern: '^31415 上', output: 'content' })).text).toContain(
      `31416: ${all[31_415]}`,
    );
  });

  it('of one line in UTF-16 continues where the answer ended', async () => {
    const path = 'one-line.utf-16le';
    const line = '上é'.repeat(400_000);
    writeFileSync(join(root, path), encode(`\uFEFF${line}`, 'utf-16le') as Buffer);
    const { text } = await call('read_text_file', { path });
    const next = /\[line 1, characters 1-(\d+) of 800,000; next: read_text_file (\{.*\})\]$/.exec(text)!;
    expect(text.startsWith(line.slice(0, Number(next[1])))).toBe(true);
    const second = await call('read_text_file', JSON.parse(next[2]!) as object);
    expect(second.text.slice(0, 100)).toBe(line.slice(Number(next[1]), Number(next[1]) + 100));
  });
});

it.each(['utf-16le', 'utf-16be'] as const)(
  'a NUL in %s is found wherever the bytes are in memory',
  (charset) => {
    for (const offset of [0, 1, 2, 3]) {
      const judged = (text: string) => {
        const bytes = encode(text, charset) as Buffer;
        const memory = Buffer.alloc(bytes.length + offset);
        bytes.copy(memory, offset);
        return encodingOf(memory.subarray(offset), () => charset);
      };
      // Neither has a NUL character, although the zero bytes of two characters are next to each other.
      expect(judged('aĀĀb上')).not.toHaveProperty('notText');
      expect(judged('a\0b上')).toHaveProperty('notText', 'nul');
    }
  },
);

it('a search with includeIgnored, which uses ripgrep, finds the same', async () => {
  proves('standard.encodings.searched');
  writeFileSync(join(root, 'rg.gbk'), encode('好 12\n', 'gbk') as Buffer);
  const pattern = '^\\S \\d+$';
  const [plain, all] = [
    await call('grep_files', { pattern, glob: 'rg.*' }),
    await call('grep_files', { pattern, path: 'rg.gbk', includeIgnored: true }),
  ];
  expect(plain.text).toContain('rg.gbk\n1: 好 12');
  expect(all.text).toContain('rg.gbk\n1: 好 12');
  expect((await call('grep_files', { pattern, includeIgnored: true })).text).toContain('rg.gbk\n1: 好 12');
});

it('a file that ends in the middle of a character is searched to its end', async () => {
  writeFileSync(join(root, 'cut.gbk'), Buffer.from([0x61, 0xba, 0xc3, 0x0a, 0x62, 0x81]));
  const { text } = await call('grep_files', { path: 'cut.gbk', pattern: '.' });
  expect(text).toBe(`In ${root}:\ncut.gbk\n1: a好\n2: b\uFFFD`);
});

it('a stale hash shows the difference as text', async () => {
  const path = 'stale.gbk';
  writeFileSync(join(root, path), encode('好\n旧\n', 'gbk') as Buffer);
  const { text } = await call('read_text_file', { path, hash: true });
  const ifHash = /\[hash (\w+)\]$/.exec(text)![1];
  writeFileSync(join(root, path), encode('好\n新\n', 'gbk') as Buffer);
  const refused = await call('write_file', { path, content: '好\n', ifHash });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('-旧\n+新') });
});

it('the older dialects keep their own rules', async () => {
  proves('standard.encodings.older');
  const path = join(root, 'older.gbk');
  const bytes = encode('好\n', 'gbk') as Buffer;
  writeFileSync(path, bytes);
  const edits = [{ oldText: '好', newText: 'x' }];
  expect((await call('edit_file', { path, edits }, replay)).text).toContain('is not valid UTF-8 text');
  expect((await call('read_file', { path }, replay)).text).toContain('"blob"');
  expect(readFileSync(path).equals(bytes)).toBe(true);
});
