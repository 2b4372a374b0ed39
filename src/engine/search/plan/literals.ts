/**
 * Finds a few literal texts of which every match of a pattern must contain one.
 *
 * Each part of a pattern is either known exactly (it matches one of a few texts and nothing else) or is a gap. Texts
 * that follow each other without a gap are joined. The text of a positive lookaround must be in the same line too.
 * When in doubt a part is a gap: the result may be weak, but it is never wrong.
 */
import type { AST } from '@eslint-community/regexpp';
import { MAX_ALSO_REQUIRED, MAX_LITERAL_BYTES, MAX_LITERALS } from '../../kernel/filter-tables.ts';
import { isCharacterNode, oneCharacter } from './characters.ts';
import {
  cheaper,
  frequencyOfAny,
  longestWellFormed,
  type PossibleTexts,
  toLiterals,
} from './literal-cost.ts';
import type { ParsedPattern, PatternFlags } from './parse-pattern.ts';

/** Of longer texts the beginning is enough. */
const LONGEST_TEXT = 256;

export interface RequiredLiterals {
  /** UTF-8 as one character for each byte. */
  literals: readonly string[];
  ignoreCase: boolean;
  /** Further literals that the line must contain, all of them. */
  alsoRequired: readonly string[];
  /** Whether a line matches exactly when it contains one of the literals: nothing else is in the pattern. */
  candidatesMatch: boolean;
  /** At which share of all places in ordinary text one of them occurs, estimated. */
  frequency: number;
}

interface KnownTexts {
  exact: PossibleTexts | undefined;
  required: PossibleTexts | undefined;
  /** Single texts that are required as well, all of them. */
  all: readonly PossibleTexts[];
}

const EMPTY: PossibleTexts = { texts: [''], fold: false };
const GAP: KnownTexts = { exact: undefined, required: undefined, all: [] };

export function requiredLiterals(pattern: ParsedPattern): RequiredLiterals | undefined {
  const known = ofAlternatives(pattern.root.alternatives, pattern.flags);
  const best = cheaper(known.exact, known.required);
  const literals = best && toLiterals(best);
  if (!best || !literals) return undefined;
  const candidatesMatch = best === known.exact && areWholePattern(best, pattern);
  return {
    literals,
    ignoreCase: best.fold,
    alsoRequired: candidatesMatch ? [] : rarestOthers(known.all, literals),
    candidatesMatch,
    frequency: frequencyOfAny(literals),
  };
}

/** The rarest ones that the literals do not contain anyway. */
function rarestOthers(all: readonly PossibleTexts[], literals: readonly string[]): readonly string[] {
  const further = all.flatMap((texts) => toLiterals(texts) ?? []);
  return [...new Set(further)]
    .filter((text) => !literals.every((literal) => literal.includes(text)))
    .sort((a, b) => frequencyOfAny([a]) - frequencyOfAny([b]))
    .slice(0, MAX_ALSO_REQUIRED);
}

function ofAlternatives(alternatives: readonly AST.Alternative[], flags: PatternFlags): KnownTexts {
  let exact: PossibleTexts | undefined = { texts: [], fold: false };
  let required: PossibleTexts | undefined = { texts: [], fold: false };
  let all: readonly PossibleTexts[] = [];
  for (const alternative of alternatives) {
    const known = ofSequence(alternative.elements, flags);
    all = known.all;
    exact = union(exact, known.exact);
    required = union(required, cheaper(known.required, known.exact));
  }
  return { exact, required, all: alternatives.length === 1 ? all : [] };
}

/** Joins neighbours as far as they are known, and keeps the texts that are cheapest to look for. */
function ofSequence(elements: readonly AST.Element[], flags: PatternFlags): KnownTexts {
  const sequence = new LiteralSequence();
  for (const element of elements) addElement(sequence, element, flags);
  return sequence.end();
}

class LiteralSequence {
  /** What the text since the last gap can be. */
  #run: PossibleTexts = EMPTY;
  /** The same as far as it is a single text: a scan looks for one text faster than for several. */
  #single: PossibleTexts = EMPTY;
  #whole = true;
  #best: PossibleTexts | undefined;
  readonly #all: PossibleTexts[] = [];

  add(exact: PossibleTexts): void {
    if (exact.texts.length === 1) {
      this.#single = join(this.#single, exact) ?? exact;
    } else {
      this.consider(this.#single);
      this.#single = EMPTY;
    }
    const run = join(this.#run, exact);
    if (run) {
      this.#run = run;
      return;
    }
    this.consider(this.#run);
    this.#run = exact;
    this.#whole = false;
  }

  gap(): void {
    this.consider(this.#run);
    this.consider(this.#single);
    this.#run = EMPTY;
    this.#single = EMPTY;
    this.#whole = false;
  }

  /** Text that must follow here, although this sequence does not take it. */
  ahead(exact: PossibleTexts): void {
    this.consider(join(this.#run, exact));
    this.consider(join(this.#single, exact));
  }

  consider(texts: PossibleTexts | undefined): void {
    this.#best = cheaper(this.#best, texts);
    if (texts?.texts.length === 1 && texts.texts[0] !== '') this.#all.push(texts);
  }

  /** What a part requires besides the texts that it matches as a whole. */
  include(known: KnownTexts): void {
    this.consider(known.required);
    this.#all.push(...known.all);
  }

  end(): KnownTexts {
    const exact = this.#whole ? this.#run : undefined;
    this.consider(this.#run);
    this.consider(this.#single);
    return { exact, required: this.#best, all: this.#all };
  }
}

function addElement(sequence: LiteralSequence, element: AST.Element, flags: PatternFlags): void {
  if (element.type === 'Quantifier') {
    addRepeated(sequence, element, flags);
    return;
  }
  if (element.type === 'Assertion') {
    // It takes no text itself; the text of a positive lookaround must occur somewhere in the line.
    const looks = element.kind === 'lookahead' || element.kind === 'lookbehind';
    if (!looks || element.negate) return;
    const known = ofAlternatives(element.alternatives, flags);
    sequence.consider(known.exact);
    sequence.include(known);
    if (element.kind === 'lookahead' && known.exact) sequence.ahead(known.exact);
    return;
  }
  addKnown(sequence, ofElement(element, flags));
}

function addKnown(sequence: LiteralSequence, known: KnownTexts): void {
  if (known.exact) {
    sequence.include(known);
    sequence.add(known.exact);
    return;
  }
  sequence.gap();
  sequence.include(known);
}

function addRepeated(sequence: LiteralSequence, quantifier: AST.Quantifier, flags: PatternFlags): void {
  const { element, min, max } = quantifier;
  if (element.type === 'Assertion') return;
  const known = ofElement(element, flags);
  if (min === 0) {
    const optional = max === 1 && known.exact && union(known.exact, EMPTY);
    if (optional) sequence.add(optional);
    else sequence.gap();
    return;
  }
  const times = known.exact && repeat(known.exact, min);
  if (times && min === max) {
    sequence.add(times);
    return;
  }
  // The least number of repetitions is at the beginning as well as at the end of the repeated part.
  if (times) sequence.add(times);
  sequence.gap();
  sequence.consider(known.exact);
  sequence.include(known);
  if (times) sequence.add(times);
}

function ofElement(
  element: Exclude<AST.Element, AST.Quantifier | AST.Assertion>,
  flags: PatternFlags,
): KnownTexts {
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    return ofAlternatives(element.alternatives, flags);
  }
  if (!isCharacterNode(element)) return GAP;
  const texts = oneCharacter(element, flags)?.texts;
  if (!texts) return GAP;
  return { exact: { texts, fold: flags.ignoreCase }, required: undefined, all: [] };
}

function union(a: PossibleTexts | undefined, b: PossibleTexts | undefined): PossibleTexts | undefined {
  if (!a || !b) return undefined;
  const texts = [...new Set([...a.texts, ...b.texts])];
  return texts.length > MAX_LITERALS ? undefined : { texts, fold: a.fold || b.fold };
}

function join(a: PossibleTexts, b: PossibleTexts): PossibleTexts | undefined {
  if (a.texts.length * b.texts.length > MAX_LITERALS) return undefined;
  const texts = [...new Set(a.texts.flatMap((first) => b.texts.map((second) => first + second)))];
  if (texts.some((text) => text.length > LONGEST_TEXT)) return undefined;
  return { texts, fold: a.fold || b.fold };
}

function repeat(one: PossibleTexts, times: number): PossibleTexts | undefined {
  const [text] = one.texts;
  if (text !== undefined && one.texts.length === 1) {
    const isLong = times > LONGEST_TEXT || text.length * times > LONGEST_TEXT;
    return isLong ? undefined : { texts: [text.repeat(times)], fold: one.fold };
  }
  let all: PossibleTexts | undefined = EMPTY;
  for (let i = 0; i < times && all; i++) all = i < LONGEST_TEXT ? join(all, one) : undefined;
  return all;
}

/**
 * Whether the texts are the whole pattern: it has no assertion, and nothing in which a line as the pattern sees it
 * could differ from the line's bytes.
 */
function areWholePattern(exact: PossibleTexts, { root }: ParsedPattern): boolean {
  if (exact.texts.some((text) => text.includes('\r') || text !== longestWellFormed(text))) return false;
  if (exact.texts.some((text) => Buffer.byteLength(text) > MAX_LITERAL_BYTES)) return false;
  return root.alternatives.every(isPlain);
}

function isPlain(alternative: AST.Alternative): boolean {
  return alternative.elements.every((element) => {
    if (element.type === 'Assertion') return false;
    if (element.type === 'Quantifier') return isPlainElement(element.element);
    return isPlainElement(element);
  });
}

function isPlainElement(element: AST.Element): boolean {
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    return element.alternatives.every(isPlain);
  return element.type !== 'Assertion' && element.type !== 'Backreference';
}
