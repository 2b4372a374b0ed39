import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentSearch } from '../../../src/engine/search/match/search-file.ts';
import { requiredRun } from '../../../src/engine/search/plan/byte-run.ts';
import { requiredWindow } from '../../../src/engine/search/plan/byte-window.ts';
import { bytesExamined } from '../../../src/engine/search/plan/bytes-examined.ts';
import { parsePattern } from '../../../src/engine/search/plan/parse-pattern.ts';
import { type MatcherSpec, type PlanKind, planSearch } from '../../../src/engine/search/plan/plan.ts';
import { requiredRepeat } from '../../../src/engine/search/plan/repeated-text.ts';
import { ripgrepSuperset } from '../../../src/engine/search/plan/ripgrep-pattern.ts';
import { ripgrep } from '../../../src/engine/search/ripgrep/ripgrep.ts';
import { soak } from '../../soak.ts';
import { CHOSEN, type GeneratedPattern, generatedLines, generatedPattern, randomFrom } from './generated.ts';

const SEED = Number(process.env.SEARCH_SEED ?? 7);
const PATTERNS = Number(process.env.SEARCH_PATTERNS ?? soak(250, 1500));
const RIPGREP_PATTERNS = Number(process.env.SEARCH_RIPGREP_PATTERNS ?? soak(30, 120));
const OPTIONS = { contextLines: 0, maxLineLength: undefined, countAll: true };
const ALL = 1_000_000;

const directory = mkdtempSync(join(tmpdir(), 'cofferdam-differential-'));
const file = join(directory, 'lines.txt');
const random = randomFrom(SEED);
const rawLines = generatedLines(random, 300);
/** The text of a line that a pattern is tried on. */
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

function matchingLines({ source, flags }: GeneratedPattern): number[] {
  const pattern = new RegExp(source, flags);
  return lines.flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

function found(matcher: MatcherSpec): { numbers: number[]; counted: number } {
  const shown = new ContentSearch(kernel, matcher, OPTIONS).search(fd, ALL);
  const counted = new ContentSearch(kernel, matcher, OPTIONS).search(fd, 0);
  return { numbers: shown.lines.map(({ number }) => number), counted: counted.matches };
}

function recipesFor({ source, flags }: GeneratedPattern): [string, MatcherSpec][] {
  const plan = (only?: PlanKind) => planSearch(source, flags, { ripgrep: false, only });
  const chosen = plan();
  const others = (['literal', 'classes'] as const).map(plan).filter((other) => other.plan !== 'workers');
  const whole = plan('workers').matcher;
  const parsed = parsePattern(source, flags);
  const filters = parsed
    ? [requiredWindow(parsed)?.filter, requiredRun(parsed)?.filter, requiredRepeat(parsed)?.filter]
    : [];
  return [
    ['chosen plan', chosen.matcher],
    ...others.flatMap(({ plan, matcher }): [string, MatcherSpec][] =>
      plan === chosen.plan ? [] : [[plan, matcher]],
    ),
    ...(whole.wholeText && chosen.plan !== 'workers'
      ? ([['whole text', whole]] as [string, MatcherSpec][])
      : []),
    ...filters.flatMap((prefilter): [string, MatcherSpec][] =>
      prefilter ? [[prefilter.kind, { ...whole, prefilter, bytesExamined: bytesExamined(parsed!) }]] : [],
    ),
    ['line by line', { ...whole, wholeText: undefined }],
  ];
}

function differences(patterns: readonly GeneratedPattern[]): string[] {
  return patterns.flatMap((pattern) => {
    const expected = matchingLines(pattern);
    return recipesFor(pattern).flatMap(([name, matcher]) => {
      const { numbers, counted } = found(matcher);
      const same = numbers.join() === expected.join() && counted === expected.length;
      const shown = `/${pattern.source}/${pattern.flags} by ${name}`;
      return same ? [] : [`${shown}: lines ${numbers.join()} and ${counted}, expected ${expected.join()}`];
    });
  });
}

function generated(count: number): GeneratedPattern[] {
  return Array.from({ length: count }, () => generatedPattern(random)).filter(
    (pattern) => pattern !== undefined,
  );
}

describe('every plan finds exactly the lines that the RegExp matches', () => {
  it('for patterns chosen by hand', () => {
    expect(differences(CHOSEN)).toEqual([]);
  });

  it('for thousands of generated patterns', () => {
    const patterns = generated(PATTERNS);
    expect(patterns.length).toBeGreaterThan(PATTERNS / 2);
    expect(differences(patterns)).toEqual([]);
  });

  it('and the generated patterns use all of the plans', () => {
    const plans = new Set(
      generated(500).map(({ source, flags }) => planSearch(source, flags, { ripgrep: true }).plan),
    );
    expect([...plans]).toEqual(expect.arrayContaining(['classes', 'literal', 'ripgrep']));
  });
});

describe('the pattern for ripgrep', () => {
  it('matches at least every line that the original pattern matches', async () => {
    const { path } = await ripgrep();
    expect(path).toBeDefined();
    const missed: string[] = [];
    let taken = 0;
    for (const pattern of [...CHOSEN.filter((_, i) => i % 3 === SEED % 3), ...generated(RIPGREP_PATTERNS)]) {
      const parsed = parsePattern(pattern.source, pattern.flags);
      if (!parsed) continue;
      const superset = ripgrepSuperset(parsed);
      const args = [
        '--no-config',
        '--text',
        '--line-number',
        '--only-matching',
        '--replace',
        '',
        '--no-mmap',
      ];
      const ran = spawnSync(path!, [...args, `--regexp=${superset}`, file], { maxBuffer: 1 << 26 });
      if (ran.status === 2) continue;
      taken++;
      const named = new Set(
        ran.stdout
          .toString('latin1')
          .split('\n')
          .map((line) => Number.parseInt(line, 10)),
      );
      const lost = matchingLines(pattern).filter((number) => !named.has(number));
      if (lost.length > 0)
        missed.push(`/${pattern.source}/${pattern.flags} as ${superset} misses ${lost.join()}`);
    }
    expect(missed).toEqual([]);
    expect(taken).toBeGreaterThan(100);
  });
});
