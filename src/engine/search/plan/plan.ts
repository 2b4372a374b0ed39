/** Plans the cheapest way to search for a pattern, and explains it: once, before any thread opens a file. */
import { fail } from '../../failures.ts';
import type { Prefilter, RepeatFilter, RunFilter, WindowFilter } from '../../kernel/prefilter.ts';
import { regexReason } from '../../text/regex-reason.ts';
import { costOfRun, LEAST_RUN_COST, requiredRun } from './byte-run.ts';
import { costOfWindow, LEAST_WINDOW_COST, requiredWindow } from './byte-window.ts';
import { bytesExamined } from './bytes-examined.ts';
import { costOfLiterals } from './literal-cost.ts';
import { type RequiredLiterals, requiredLiterals } from './literals.ts';
import { type ParsedPattern, parsePattern } from './parse-pattern.ts';
import { costOfRepeat, requiredRepeat } from './repeated-text.ts';
import { ripgrepSuperset } from './ripgrep-pattern.ts';
import { wholeTextForm } from './whole-text.ts';
import { beginsWith, worksOnBytes } from './works-on-bytes.ts';

export type PlanKind = 'literal' | 'classes' | 'ripgrep' | 'workers';

export interface Plan {
  plan: PlanKind;
  why: string;
}

/** What a thread needs to search a file for the pattern. */
export interface MatcherSpec {
  source: string;
  flags: string;
  /** If there is one, the thread decodes only lines in which it finds a candidate. */
  prefilter: Prefilter | undefined;
  /** Whether every candidate is a match: the pattern has nothing but the prefilter's literals. */
  candidatesMatch: boolean;
  /** With a prefilter: the bytes that a match depends on, unless they are nearly all bytes. */
  bytesExamined: Uint8Array | undefined;
  /** With a prefilter: whether the pattern finds the same in the bytes of a text as in the text. */
  worksOnBytes: boolean;
  /** With a prefilter and `worksOnBytes`: whether every match begins at a candidate, whatever is around it. */
  beginsWithCandidate: boolean;
  /** Without a prefilter: a form of the pattern that runs over a whole file; undefined to try every line. */
  wholeText: RegExp | undefined;
}

type ClassFilter = WindowFilter | RunFilter | RepeatFilter;

export interface SearchPlan extends Plan {
  matcher: MatcherSpec;
  /** For `ripgrep`: the pattern that names candidate files. */
  ripgrepPattern: string | undefined;
}

export interface PlanOptions {
  /** Whether ripgrep may name candidate files. */
  ripgrep: boolean;
  /** The reason why not, in a few words. */
  whyNotRipgrep?: string;
  /** Forces one plan, to compare plans. If the pattern does not allow it, the plan is `workers`. */
  only?: PlanKind | undefined;
}

/** In characters. The main thread analyses no longer patterns: that takes it some 20 µs for each character. */
const LONGEST_ANALYSED = 500;
/** The literal characters that a pattern begins with. */
const LITERAL = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\w])*/;

/** In nanoseconds for each byte. If a prefilter costs more, running the pattern over whole files is about as fast. */
const MOST_PREFILTER_COST = 10;

export function planSearch(source: string, flags: string, options: PlanOptions): SearchPlan {
  const used = checkedFlags(source, flags);
  const plain: MatcherSpec = {
    source,
    flags: used,
    prefilter: undefined,
    candidatesMatch: false,
    bytesExamined: undefined,
    worksOnBytes: false,
    beginsWithCandidate: false,
    wholeText: undefined,
  };
  if (source.length > LONGEST_ANALYSED) return longPlan(plain, options);
  try {
    const parsed = parsePattern(source, used);
    if (parsed) return analysedPlan(parsed, plain, options);
  } catch (error) {
    // The analysis ran out of stack: V8 accepts groups that are nested deeper.
    if (!(error instanceof RangeError)) throw error;
  }
  const why = 'the pattern uses syntax that cannot be analysed: every line is tried';
  return { plan: 'workers', why, matcher: plain, ripgrepPattern: undefined };
}

/** The plan for a long pattern. If it is a literal, the scan looks for its beginning, which every match contains. */
function longPlan(plain: MatcherSpec, options: PlanOptions): SearchPlan {
  const { source, flags } = plain;
  const literal = LITERAL.exec(source)![0];
  if (literal.length < source.length) {
    const why = `the pattern has more than ${LONGEST_ANALYSED} characters: every line is tried`;
    return { plan: 'workers', why, matcher: plain, ripgrepPattern: undefined };
  }
  const beginning = LITERAL.exec(source.slice(0, LONGEST_ANALYSED / 2))![0];
  const { matcher, ...rest } = planSearch(beginning, flags, options);
  return { ...rest, matcher: { ...plain, prefilter: matcher.prefilter } };
}

function analysedPlan(parsed: ParsedPattern, plain: MatcherSpec, options: PlanOptions): SearchPlan {
  const filtered = prefilterPlan(parsed, plain, options.only);
  if (filtered) return filtered;
  const matcher = { ...plain, wholeText: wholeTextForm(parsed, plain.flags) };
  return { ...candidatePlan(parsed, options), matcher };
}

/** The flags that matter within a line. Fails with `bad-regex` if V8 does not accept the pattern. */
function checkedFlags(source: string, flags: string): string {
  const used = flags.replace(/[dgy]/g, '');
  try {
    new RegExp(source, used);
  } catch (error) {
    fail({ kind: 'bad-regex', pattern: source, reason: regexReason(error) });
  }
  return used;
}

function prefilterPlan(
  parsed: ParsedPattern,
  plain: MatcherSpec,
  wanted: PlanKind | undefined,
): SearchPlan | undefined {
  if (wanted === 'ripgrep' || wanted === 'workers') return undefined;
  const literals = wanted === 'classes' ? undefined : requiredLiterals(parsed);
  const literalCost = literals ? costOfLiterals(literals) : Number.POSITIVE_INFINITY;
  const classes = wanted === 'literal' ? undefined : cheapestClasses(parsed, literalCost);
  const classesCost = classes?.cost ?? Number.POSITIVE_INFINITY;
  if (wanted === undefined && Math.min(literalCost, classesCost) > MOST_PREFILTER_COST) return undefined;
  const filtered = { ...plain, bytesExamined: bytesExamined(parsed), worksOnBytes: worksOnBytes(parsed) };
  if (literals && literalCost <= classesCost) {
    const [only = '', other] = literals.literals;
    const beginsWithCandidate = filtered.worksOnBytes && other === undefined && beginsWith(parsed, only);
    return literalPlan(literals, { ...filtered, beginsWithCandidate });
  }
  return classes && classesPlan(classes.filter, filtered);
}

/**
 * The cheapest of three filters: a window of a few bytes, each of its own class; a run of many bytes of one class; a
 * text that occurs twice. Finding them takes longer than searching a few files, so it considers only those that could
 * cost less than `most`.
 */
function cheapestClasses(
  parsed: ParsedPattern,
  most: number,
): { filter: ClassFilter; cost: number } | undefined {
  const window = most > LEAST_WINDOW_COST ? requiredWindow(parsed) : undefined;
  const run = most > LEAST_RUN_COST ? requiredRun(parsed) : undefined;
  const repeat = most > LEAST_WINDOW_COST ? requiredRepeat(parsed) : undefined;
  const found = [
    ...(window ? [{ filter: window.filter, cost: costOfWindow(window) }] : []),
    ...(run ? [{ filter: run.filter, cost: costOfRun(run) }] : []),
    ...(repeat ? [{ filter: repeat.filter, cost: costOfRepeat(repeat) }] : []),
  ];
  return found.sort((a, b) => a.cost - b.cost)[0];
}

function literalPlan(required: RequiredLiterals, plain: MatcherSpec): SearchPlan {
  const { literals, ignoreCase, alsoRequired, candidatesMatch } = required;
  const quoted = (literal: string) => JSON.stringify(Buffer.from(literal, 'latin1').toString('utf8'));
  const shown = [literals.map(quoted).join(' or '), ...alsoRequired.map(quoted)].join(' and ');
  return {
    plan: 'literal',
    why: `every match contains ${shown}${ignoreCase ? ' in any case' : ''}`,
    matcher: {
      ...plain,
      prefilter: { kind: 'literals', literals, ignoreCase, alsoRequired },
      candidatesMatch,
    },
    ripgrepPattern: undefined,
  };
}

function classesPlan(filter: ClassFilter, plain: MatcherSpec): SearchPlan {
  return {
    plan: 'classes',
    why: `every match contains ${shownFilter(filter)}`,
    matcher: { ...plain, prefilter: filter },
    ripgrepPattern: undefined,
  };
}

function shownFilter(filter: ClassFilter): string {
  if (filter.kind === 'repeat') return `a text of at least ${filter.least} bytes of one class twice`;
  return `${filter.length} adjacent bytes of ${filter.kind === 'run' ? 'one class' : 'known classes'}`;
}

function candidatePlan(
  parsed: ParsedPattern,
  options: PlanOptions,
): Plan & { ripgrepPattern: string | undefined } {
  const nothing = 'the pattern has nothing that a scan could look for';
  if (!options.ripgrep || options.only === 'workers') {
    const reason = options.whyNotRipgrep ? `, and ${options.whyNotRipgrep}` : '';
    return { plan: 'workers', why: `${nothing}${reason}: every line is tried`, ripgrepPattern: undefined };
  }
  return {
    plan: 'ripgrep',
    why: `${nothing}: ripgrep names the files that may match`,
    ripgrepPattern: ripgrepSuperset(parsed),
  };
}
