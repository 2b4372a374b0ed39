import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentSearch } from '../../../../src/engine/search/match/search-file.ts';
import { truncateAround } from '../../../../src/engine/search/match/truncate-line.ts';
import { bytesExamined } from '../../../../src/engine/search/plan/bytes-examined.ts';
import { parsePattern } from '../../../../src/engine/search/plan/parse-pattern.ts';
import { type MatcherSpec, type PlanKind, planSearch } from '../../../../src/engine/search/plan/plan.ts';
import { worksOnBytes } from '../../../../src/engine/search/plan/works-on-bytes.ts';
import { soak } from '../../../soak.ts';
import {
  CHOSEN,
  type GeneratedPattern,
  generatedLines,
  generatedPattern,
  pick,
  type Random,
  randomFrom,
} from '../generated.ts';

const SEED = Number(process.env.SEARCH_SEED ?? 11);
const PATTERNS = Number(process.env.SEARCH_PATTERNS ?? soak(200, 1500)) / 2;
const SHOWN = 12;
const ALL = 1_000_000;

/** What most of a line consists of, so that few patterns match there: letters, signs, non-ASCII, invalid UTF-8. */
const FILLERS = ['z', '-z', 'Z ', 'ü', 'zü', '😀z', '٣'].map((text) => Buffer.from(text));
const BROKEN = [[0x80], [0xc3, 0x7a], [0x7a, 0x80, 0x80, 0x80, 0x80, 0x80], [0xe2, 0x80]].map((bytes) =>
  Buffer.from(bytes),
);

const directory = mkdtempSync(join(tmpdir(), 'cofferdam-long-lines-'));
const file = join(directory, 'lines.txt');
const random = randomFrom(SEED);
const rawLines = [
  ...[...FILLERS, ...soak([], FILLERS), ...BROKEN].map((filler) => longLine(random, filler)),
  Buffer.concat([Buffer.from(`${'-'.repeat(2100)}\u2028`), BROKEN[2]!]),
  Buffer.from('-ak'.repeat(800)),
];
const lines = rawLines.map((line) => line.toString('utf8').replace(/\r$/, ''));
const kernel = ContentSearch.kernel();
let fd = -1;

beforeAll(() => {
  writeFileSync(file, Buffer.concat(rawLines.flatMap((line) => [line, Buffer.from('\n')])));
  fd = openSync(file, 'r');
});

afterAll(() => {
  closeSync(fd);
  rmSync(directory, { recursive: true });
});

/** Long pieces of filler with a few short texts between them, and sometimes at the ends. */
function longLine(random: Random, filler: Buffer): Buffer {
  const parts: Buffer[] = [];
  const pieces = generatedLines(random, 20);
  if (random() < 0.3) parts.push(pick(random, pieces));
  for (let i = 0; i < 3; i++) {
    const times = Math.ceil((700 + random() * 100) / filler.length);
    parts.push(Buffer.concat(Array.from({ length: times }, () => filler)));
    if (i < 2 || random() < 0.3) parts.push(pick(random, pieces));
  }
  return Buffer.concat(parts);
}

/** False for a pattern that may repeat a repetition: that is slow on a line of some thousand characters. */
function endsSoon({ source }: GeneratedPattern): boolean {
  return (source.match(/[*+]|,\}/g) ?? []).length <= 1;
}

function expected({ source, flags }: GeneratedPattern): string[] {
  const pattern = new RegExp(source, flags);
  return lines.flatMap((line, index) => {
    const found = pattern.exec(line);
    return found ? [`${index + 1}:${truncateAround(line, found.index, found[0].length, SHOWN)}`] : [];
  });
}

function found(matcher: MatcherSpec): { shown: string[]; whole: number[]; counted: number } {
  const search = (maxLineLength: number | undefined, limit: number) =>
    new ContentSearch(kernel, matcher, { contextLines: 0, maxLineLength, countAll: true }).search(fd, limit);
  return {
    shown: search(SHOWN, ALL).lines.map(({ number, text }) => `${number}:${text}`),
    whole: search(undefined, ALL).lines.map(({ number }) => number),
    counted: search(SHOWN, 0).matches,
  };
}

function differences(patterns: readonly GeneratedPattern[]): { wrong: string[]; inParts: number } {
  let inParts = 0;
  const wrong = patterns.filter(endsSoon).flatMap((pattern) => {
    const recipes = ([undefined, 'literal', 'classes'] as (PlanKind | undefined)[])
      .map((only) => planSearch(pattern.source, pattern.flags, { ripgrep: false, only }).matcher)
      .filter(({ prefilter, bytesExamined, worksOnBytes }) => prefilter && (bytesExamined || worksOnBytes));
    if (recipes.length === 0) return [];
    const right = expected(pattern);
    inParts++;
    return recipes.flatMap((matcher) => {
      const { shown, whole, counted } = found(matcher);
      const same = shown.join('\n') === right.join('\n') && counted === right.length;
      if (same && whole.length === right.length) return [];
      return [`/${pattern.source}/${pattern.flags}: ${shown.join()} (${counted}), expected ${right.join()}`];
    });
  });
  return { wrong, inParts };
}

describe('a line that is decoded in parts gives exactly what the RegExp finds in the whole of it', () => {
  it('for patterns chosen by hand', () => {
    const more = [
      '\\bk',
      'k\\b',
      '\\Bk\\B',
      '^k',
      'k$',
      '(?<=z)k',
      '(?<!z)k',
      'k(?!z)',
      '[a-k]+',
      'a[^z]b',
      '\\ufffd{2,}',
    ];
    const gaps = [
      ...[
        'k.*a',
        'k.+',
        'k.*?b',
        'a.+?',
        '.*k',
        'k[^z]*',
        '[^-]+k',
        'k\\W+b',
        '\\D*k',
        '^.*k',
        'k.*$',
        '(?:k.*)+\\b',
      ],
      ...['k.*-', '-.*k', '-.*-', 'z.*z', 'ak.*-', '-ak.*'],
      // These are slow on lines that consist of one filler.
      ...soak([], ['.+?k', '-.+?z', 'z.*(?:a|b|k)']),
    ];
    const flags = ['', 'i', 'u', 'iu', 'm'];
    const chosen = [
      ...more.flatMap((source) => flags.map((own) => ({ source, flags: own }))),
      ...gaps.map((source) => ({ source, flags: '' })),
    ];
    const { wrong, inParts } = differences([...CHOSEN, ...chosen]);
    expect(wrong).toEqual([]);
    expect(inParts).toBeGreaterThan(100);
  });

  it('for generated patterns', () => {
    const patterns = Array.from({ length: PATTERNS }, () => generatedPattern(random)).filter(
      (pattern) => pattern !== undefined,
    );
    const { wrong, inParts } = differences(patterns);
    expect(wrong).toEqual([]);
    expect(inParts).toBeGreaterThan(patterns.length / 10);
  });
});

describe('a match in a line of hundreds of kilobytes', () => {
  const far = 'zü"'.repeat(30_000);
  const near = 'zü'.repeat(300);
  const parts = ['TASK', 'lock', far, near, '\u2028', '"', 'k'];
  const shown = 40;
  const longLines = Array.from({ length: soak(12, 400) }, () => {
    const chosen = Array.from({ length: 2 + Math.floor(random() * 6) }, () => pick(random, parts));
    return `ü${chosen.join('')}${far}`;
  });
  const path = join(directory, 'very-long.txt');

  it.each(['TASK.*lock', 'TASK.*?lock', 'TASK[^"]*lock', 'TASK.+', 'TASK(?:.*lock|k)', 'TASK.*lock\\b'])(
    'is what the RegExp finds: /%s/',
    (source) => {
      writeFileSync(path, `${longLines.join('\n')}\n`);
      const veryLong = openSync(path, 'r');
      const { matcher } = planSearch(source, '', { ripgrep: false });
      const options = { contextLines: 0, maxLineLength: shown, countAll: true };
      const search = new ContentSearch(kernel, matcher, options);
      const right = longLines.flatMap((line, index) => {
        const match = new RegExp(source).exec(line);
        return match ? [`${index + 1}:${truncateAround(line, match.index, match[0].length, shown)}`] : [];
      });
      expect(search.search(veryLong, ALL).lines.map(({ number, text }) => `${number}:${text}`)).toEqual(
        right,
      );
      expect(search.search(veryLong, 0).matches).toBe(right.length);
      closeSync(veryLong);
    },
  );
});

describe('a pattern works on bytes', () => {
  it.each<[string, string, boolean]>([
    ['lock.*free', '', true],
    ['lock.+?free', 'i', true],
    ['"[^"]*"', '', true],
    ['\\bk\\W*\\d', '', true],
    ['(?:a|b.*)+$', '', true],
    ['a.b', '', false],
    ['a.{2,}b', '', false],
    ['a.*é', '', false],
    ['a\\s*b', '', false],
    ['a[^é]*b', '', false],
    ['a\\S*b', '', false],
    ['a.*b', 'u', false],
    ['^a.*b', 'm', false],
    ['(a.*)\\1', '', false],
    ['a.*(?=b)', '', false],
  ])('if it is /%s/%s: %j', (source, flags, is) => {
    expect(worksOnBytes(parsePattern(source, flags)!)).toBe(is);
  });
});

describe('the bytes that a pattern examines', () => {
  it.each<[string, string, string | undefined]>([
    ['\\bneed\\b', '', 'den'],
    ['\\bneed\\b', 'i', 'DENden'],
    ['a[0-3]+(?=x)', '', '0123ax'],
    ['(?<!y)(a|b)\\1', '', 'aby'],
    ['[^\\x00-\\x7e]', '', '\x7f\x80…'],
    ['é', '', '\x80…'],
    ['s', 'iu', 'Ss\x80…'],
    ['import .* from', '', undefined],
    ['a[^]', '', undefined],
    ['a\\n', '', undefined],
  ])('for /%s/%s are %j', (source, flags, bytes) => {
    const examined = bytesExamined(parsePattern(source, flags)!);
    const ascii =
      examined && String.fromCharCode(...[...examined.keys()].filter((code) => code < 128 && examined[code]));
    const beyond = examined?.subarray(128).every((is) => is === 1) ? '\x80…' : '';
    expect(examined && ascii + beyond).toBe(bytes);
  });
});
