/** How a pattern is best searched for, and why: decided once, before any file is opened. */
import { fail } from '../failures.ts';
import type { Prefilter } from './kernel.ts';
import { costOfLiterals } from './pattern/literal-cost.ts';
import { type RequiredLiterals, requiredLiterals } from './pattern/literals.ts';
import { rustSuperset } from './pattern/rust.ts';
import { type ParsedPattern, parsePattern } from './pattern/scope.ts';
import { spanOf } from './pattern/span.ts';
import { wholeTextForm } from './pattern/whole-text.ts';
import { costOfWindow, type RequiredWindow, requiredWindow } from './pattern/windows.ts';

export type PlanKind = 'literal' | 'classes' | 'ripgrep' | 'workers';

export interface Plan {
  plan: PlanKind;
  why: string;
}

/** What a worker needs to search a file for the pattern. */
export interface Recipe {
  source: string;
  flags: string;
  /** Only lines with one of its candidates are looked at. */
  prefilter: Prefilter | undefined;
  /** A candidate is a match: the pattern is nothing but the prefilter's literals. */
  candidatesMatch: boolean;
  /** With a prefilter: the bytes that a match is made of, when they are not nearly all. */
  span: Uint8Array | undefined;
  /** Without a prefilter: the form that can be run over a whole file, or undefined for line by line. */
  wholeText: RegExp | undefined;
}

export interface SearchPlan extends Plan {
  recipe: Recipe;
  /** For `ripgrep`: the pattern that names candidate files. */
  superset: string | undefined;
}

export interface PlanOptions {
  /** Whether ripgrep may name candidate files. */
  ripgrep: boolean;
  /** Why it may not, in a few words. */
  whyNotRipgrep?: string;
  /** Asks for one plan, to compare them; one that the pattern does not allow becomes `workers`. */
  only?: PlanKind | undefined;
}

/** Nanoseconds a byte: above this, running the pattern over whole files is about as fast as a prefilter. */
const WORTH_IT = 3;

export function planSearch(source: string, flags: string, options: PlanOptions): SearchPlan {
  const used = checkedFlags(source, flags);
  const parsed = parsePattern(source, used);
  const whole: Recipe = {
    source,
    flags: used,
    prefilter: undefined,
    candidatesMatch: false,
    span: undefined,
    wholeText: parsed && wholeTextForm(parsed, used),
  };
  if (!parsed) {
    const why = 'the pattern uses syntax that cannot be analysed: every line is tried';
    return { plan: 'workers', why, recipe: whole, superset: undefined };
  }
  return (
    prefilterPlan(parsed, whole, options.only) ?? {
      ...candidatePlan(parsed, options),
      recipe: whole,
    }
  );
}

/** The flags that matter line by line; a pattern that the engine does not take fails here. */
function checkedFlags(source: string, flags: string): string {
  const used = flags.replace(/[dgy]/g, '');
  try {
    new RegExp(source, used);
  } catch (error) {
    const { message } = error as Error;
    fail({ kind: 'bad-regex', pattern: source, reason: message.slice(message.lastIndexOf(': ') + 2) });
  }
  return used;
}

function prefilterPlan(
  parsed: ParsedPattern,
  whole: Recipe,
  wanted: PlanKind | undefined,
): SearchPlan | undefined {
  if (wanted === 'ripgrep' || wanted === 'workers') return undefined;
  const literals = wanted === 'classes' ? undefined : requiredLiterals(parsed);
  const window = wanted === 'literal' ? undefined : requiredWindow(parsed);
  const literalCost = literals ? costOfLiterals(literals) : Number.POSITIVE_INFINITY;
  const windowCost = window ? costOfWindow(window) : Number.POSITIVE_INFINITY;
  if (wanted === undefined && Math.min(literalCost, windowCost) > WORTH_IT) return undefined;
  const filtered = { ...whole, span: spanOf(parsed) };
  if (literals && literalCost <= windowCost) return literalPlan(literals, filtered);
  return window && classesPlan(window, filtered);
}

function literalPlan(required: RequiredLiterals, whole: Recipe): SearchPlan {
  const { literals, ignoreCase, also, decide } = required;
  const quoted = (literal: string) => JSON.stringify(Buffer.from(literal, 'latin1').toString('utf8'));
  const shown = [literals.map(quoted).join(' or '), ...also.map(quoted)].join(' and ');
  return {
    plan: 'literal',
    why: `every match contains ${shown}${ignoreCase ? ' in any case' : ''}`,
    recipe: {
      ...whole,
      prefilter: { kind: 'literals', literals, ignoreCase, also },
      candidatesMatch: decide,
    },
    superset: undefined,
  };
}

function classesPlan({ filter }: RequiredWindow, whole: Recipe): SearchPlan {
  return {
    plan: 'classes',
    why: `every match contains ${filter.length} adjacent bytes of known classes`,
    recipe: { ...whole, prefilter: filter },
    superset: undefined,
  };
}

function candidatePlan(parsed: ParsedPattern, options: PlanOptions): Plan & { superset: string | undefined } {
  const nothing = 'nothing in the pattern tells its lines apart';
  if (!options.ripgrep || options.only === 'workers') {
    const reason = options.whyNotRipgrep ? `, and ${options.whyNotRipgrep}` : '';
    return { plan: 'workers', why: `${nothing}${reason}: every line is tried`, superset: undefined };
  }
  return {
    plan: 'ripgrep',
    why: `${nothing}: ripgrep names the files that may hold a match`,
    superset: rustSuperset(parsed),
  };
}
