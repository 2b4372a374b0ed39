import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, matchesWithContext } from '../../../src/engine/search/query.ts';
import { type Fixture, fixture, shown } from './search-fixture.ts';

const MIB = 1 << 20;
let here: Fixture;

beforeAll(async () => {
  here = await fixture({
    'final.txt': 'one\ntwo\nlast',
    'crlf.txt': 'one\r\ntwo\r\n\r\nlast\r',
    'empty.txt': '',
    'newline.txt': '\n',
    'marked.txt': '\ufeffone\ntwo\n',
    'latin1.txt': { base64: Buffer.from('caf\xe9 one\n', 'latin1').toString('base64') },
    'late-nul.txt': { base64: Buffer.from(`${'x'.repeat(5000)}\none\0\n`).toString('base64') },
    'binary.bin': { base64: Buffer.from('one\0one\n').toString('base64') },
    'utf16le.txt': { base64: Buffer.from('\ufeffone\r\nzwölf 😀\n', 'utf16le').toString('base64') },
    'utf16be.txt': {
      base64: Buffer.from('\ufeffone\nzwölf 😀', 'utf16le').swap16().toString('base64'),
    },
  });
});

afterAll(() => here.close());

describe('a line', () => {
  it('is found with its number, with or without a final newline', async () => {
    expect(await here.lines({ regex: 'last|^two$' }, join(here.root, 'final.txt'))).toEqual([
      'final.txt:2:two',
      'final.txt:3:last',
    ]);
  });

  it('ends before its newline and a carriage return before that, but keeps one that ends the file', async () => {
    expect(await here.lines({ regex: '^(one|two)$|^$|^last\\r$' }, join(here.root, 'crlf.txt'))).toEqual([
      'crlf.txt:1:one',
      'crlf.txt:2:two',
      'crlf.txt:3:',
      'crlf.txt:4:last\r',
    ]);
  });

  it('is ended by its newline: an empty file has no line, and a single newline is one line', async () => {
    expect(await here.lines({ regex: '^$' })).toEqual(['crlf.txt:3:', 'newline.txt:1:']);
  });

  it('does not begin with the byte-order mark of its file', async () => {
    expect(await here.lines({ regex: '^one$' }, join(here.root, 'marked.txt'))).toEqual(['marked.txt:1:one']);
    expect(await here.lines({ regex: '\\ufeff' })).toEqual([]);
  });

  it('shows bytes that are not UTF-8 as replacement characters', async () => {
    expect(await here.lines({ regex: 'caf\\ufffd one' })).toEqual(['latin1.txt:1:caf\ufffd one']);
  });

  it.each(['literal', 'ripgrep', 'workers'] as const)(
    'is found in UTF-16 of both byte orders with the plan %s',
    async (plan) => {
      expect(await here.lines({ regex: 'zwölf 😀$', plan })).toEqual([
        'utf16be.txt:2:zwölf 😀',
        'utf16le.txt:2:zwölf 😀',
      ]);
    },
  );

  it.each(['literal', 'ripgrep', 'workers'] as const)(
    'loses only the first of several byte-order marks, in every encoding, with the plan %s',
    async (plan) => {
      const utf16 = (text: string) => ({ base64: Buffer.from(text, 'utf16le').toString('base64') });
      const marked = await fixture({ 'a.txt': '\ufeff\ufeffqq\n', 'b.txt': utf16('\ufeff\ufeffqq\n') });
      const regex = plan === 'literal' ? '^\\Wqq$' : '^\\W\\w\\w$';
      const found = await marked.lines({ regex, plan });
      await marked.close();
      expect(found).toEqual(['a.txt:1:\ufeffqq', 'b.txt:1:\ufeffqq']);
    },
  );

  it('is not searched for in binary files, which have a NUL byte near the beginning', async () => {
    const { files } = await here.grep({ regex: 'one' });
    const paths = files.map(({ path }) => path);
    expect(paths).not.toContain('binary.bin');
    expect(paths).toContain('late-nul.txt');
  });

  it('is in a file that counts as searched, unless the file is binary', async () => {
    expect((await here.grep({ regex: 'one', countFiles: true })).filesSearched).toBe(9);
  });
});

describe('flags', () => {
  it('mean what they mean to a RegExp', async () => {
    const path = join(here.root, 'final.txt');
    expect(await here.lines({ regex: 'LAST' }, path)).toEqual([]);
    expect(await here.lines({ regex: 'LAST', flags: 'i' }, path)).toEqual(['final.txt:3:last']);
    expect(await here.lines({ regex: '\\p{Ll}{4}', flags: 'gu' }, path)).toEqual(['final.txt:3:last']);
  });

  it('are refused like a bad pattern if they do not exist', async () => {
    await expect(here.grep({ regex: 'a', flags: 'q' })).rejects.toMatchObject({
      facts: { kind: 'bad-regex', pattern: 'a' },
    });
    await expect(here.grep({ regex: '(' })).rejects.toMatchObject({
      facts: { kind: 'bad-regex', pattern: '(', reason: 'Unterminated group' },
    });
  });
});

describe('a query', () => {
  it('is refused if its numbers make no sense', async () => {
    const query = { regex: 'x', maxMatches: 0, contextLines: -1, maxLineLength: 0.5 };
    await expect(here.grep(query)).rejects.toMatchObject({
      facts: {
        kind: 'bad-arguments',
        problems: [{ field: 'maxMatches' }, { field: 'contextLines' }, { field: 'maxLineLength' }],
      },
    });
  });
});

describe('context', () => {
  it('is merged without repeating lines', async () => {
    const path = join(here.root, 'context.txt');
    writeFileSync(
      path,
      Array.from({ length: 20 }, (_, i) => `line ${i + 1}${[5, 7, 15].includes(i + 1) ? ' x' : ''}`).join(
        '\n',
      ),
    );
    const { files } = await here.grep({ regex: 'x$', contextLines: 2 }, {}, path);
    expect(blocksOf(files[0]!).map((block) => block.map(({ number }) => number))).toEqual([
      [3, 4, 5, 6, 7, 8, 9],
      [13, 14, 15, 16, 17],
    ]);
    expect(files[0]!.lines.filter(({ match }) => match).map(({ number }) => number)).toEqual([5, 7, 15]);
    expect(matchesWithContext(files[0]!, 2)[1]).toEqual({
      line: { number: 7, text: 'line 7 x', match: true },
      before: ['line 5 x', 'line 6'],
      after: ['line 8', 'line 9'],
    });
  });

  it('may be in two windows of a file, which are read one after the other', async () => {
    const path = join(here.root, 'wide.txt');
    const texts = Array.from({ length: 60_000 }, (_, i) => `line ${i + 1} ${'.'.repeat(i % 97)}`);
    const wanted = new Set([1, 17_000, 19_501, 19_502, 30_000, 39_000, 59_999, 60_000]);
    for (const number of wanted) texts[number - 1] += ' hit';
    writeFileSync(path, `${texts.join('\n')}\n`);
    for (const plan of ['literal', 'workers'] as const) {
      const { files } = await here.grep({ regex: 'hit$', contextLines: 50, plan }, {}, path);
      const expected = new Set<number>();
      for (const number of wanted)
        for (let near = number - 50; near <= number + 50; near++) expected.add(near);
      const numbers = [...expected].filter((n) => n >= 1 && n <= 60_000).sort((a, b) => a - b);
      expect(files[0]!.lines).toEqual(
        numbers.map((number) => ({ number, text: texts[number - 1], match: wanted.has(number) })),
      );
    }
  });
});

describe('a long line', () => {
  it('is truncated around the match, between characters', async () => {
    const path = join(here.root, 'long.txt');
    writeFileSync(path, `${'a'.repeat(1000)}needle${'b'.repeat(1000)}\n${'😀'.repeat(300)}needle\n`);
    const [first, second] = await here.lines({ regex: 'needle', maxLineLength: 500 }, path);
    expect(first).toBe(`long.txt:1:…${'a'.repeat(247)}needle${'b'.repeat(247)}…`);
    expect(second).toBe(`long.txt:2:…${'😀'.repeat(247)}needle`);
  });

  it('is truncated in the same way if only a part of it was decoded', async () => {
    const path = join(here.root, 'partly.txt');
    const lines = [
      `${'ä'.repeat(9000)}needle${'ö'.repeat(9000)}`,
      `needle${'ö'.repeat(9000)}`,
      `${'😀'.repeat(9000)}needle`,
      `${'x'.repeat(30)}needle${'y'.repeat(9000)}`,
      `${'x'.repeat(9000)}needle${'y'.repeat(30)}`,
    ];
    writeFileSync(path, lines.join('\n'));
    const partly = await here.lines({ regex: 'needle', maxLineLength: 100, plan: 'literal' }, path);
    expect(partly).toEqual(await here.lines({ regex: 'needle', maxLineLength: 100, plan: 'workers' }, path));
    expect(partly[0]).toBe(`partly.txt:1:…${'ä'.repeat(47)}needle${'ö'.repeat(47)}…`);
  });

  it('is searched like any other if it has some megabytes', async () => {
    const path = join(here.root, 'minified.js');
    writeFileSync(path, `start\n${'x'.repeat(5 * MIB)}needle${'y'.repeat(3 * MIB)}\nneedle\n`);
    const result = await here.grep({ regex: 'needle', maxLineLength: 20 }, {}, path);
    expect(shown(result)).toEqual(['minified.js:2:…xxxxxxxneedleyyyyyyy…', 'minified.js:3:needle']);
    expect(result.skippedLongLines).toBe(0);
  });

  it.each([
    ['is searched if it has 16 MiB and ends the file', 16 * MIB, '', 0],
    ['is searched if it has 16 MiB and another one follows', 16 * MIB, '\nlast\n', 0],
    ['is skipped if it has 16 MiB and one byte', 16 * MIB + 1, '', 1],
  ])('%s', async (_, length, behind, skipped) => {
    const path = join(here.root, 'longest.txt');
    writeFileSync(path, `${'x'.repeat(length - 6)}needle${behind}`);
    const result = await here.grep({ regex: 'needle', maxLineLength: 10 }, {}, path);
    expect(result).toMatchObject({ matches: 1 - skipped, skippedLongLines: skipped });
  });

  it('is skipped and counted if it is too long to search, and later lines have the right numbers', async () => {
    const path = join(here.root, 'endless.txt');
    writeFileSync(path, `first\n${'z'.repeat(40 * MIB)}needle\nneedle\n`);
    const result = await here.grep({ regex: 'needle', contextLines: 2, maxLineLength: 10 }, {}, path);
    expect(shown(result)).toEqual([
      'endless.txt-1-first',
      'endless.txt-2-zzzzzzzzzz…',
      'endless.txt:3:needle',
    ]);
    expect(result.skippedLongLines).toBe(1);
  });

  it('is skipped and counted if the pattern runs out of memory on it, and the others are searched', async () => {
    const path = join(here.root, 'branching.txt');
    writeFileSync(path, `abc\n${'ab'.repeat(4 * MIB)}\nabc\n`);
    for (const plan of ['workers', 'literal'] as const) {
      const result = await here.grep({ regex: '(?:a|b)*c', plan, maxLineLength: 10 }, {}, path);
      expect(shown(result)).toEqual(['branching.txt:1:abc', 'branching.txt:3:abc']);
      expect(result.skippedLongLines).toBe(plan === 'workers' ? 1 : 0);
    }
  });
});
