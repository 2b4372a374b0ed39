/**
 * Finds a few literals such that every match of a pattern must contain one of them.
 *
 * Each part of a pattern is either known exactly (it matches one of a few texts and nothing else) or is a gap. Texts
 * that follow each other without a gap are joined. The text of a positive lookaround must be in the same line too.
 * When in doubt, a part is a gap: the result may be weak, but it is never wrong.
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

/** In characters. Longer texts are not joined further: this much is enough to look for. */
const LONGEST_TEXT = 256;

export interface RequiredLiterals {
  /** UTF-8 as one character for each byte. */
  literals: readonly string[];
  ignoreCase: boolean;
  /** Further literals: the line must contain all of them. */
  alsoRequired: readonly string[];
  /** Whether every line that contains one of the literals matches: the pattern has nothing else. */
  candidatesMatch: boolean;
  /** An estimate: the share of all places in ordinary text where one of the literals begins. */
  frequency: number;
}

/** What is known about a part of a pattern. */
interface KnownTexts {
  /** All texts that the part can match. */
  exact: PossibleTexts | undefined;
  /** Texts of which every match of the part contains one. */
  required: PossibleTexts | undefined;
  /** Single texts: every match of the part contains each of them. */
  alsoRequired: readonly PossibleTexts[];
}

const EMPTY: PossibleTexts = { texts: [''], fold: false };
const GAP: KnownTexts = { exact: undefined, required: undefined, alsoRequired: [] };

export function requiredLiterals(pattern: ParsedPattern): RequiredLiterals | undefined {
  const known = textsOfAlternatives(pattern.root.alternatives, pattern.flags);
  const best = cheaper(known.exact, known.required);
  const literals = best && toLiterals(best);
  if (!best || !literals) return undefined;
  const candidatesMatch = best === known.exact && areWholePattern(best, pattern);
  return {
    literals,
    ignoreCase: best.fold,
    alsoRequired: candidatesMatch ? [] : rarestOthers(known.alsoRequired, literals),
    candidatesMatch,
    frequency: frequencyOfAny(literals),
  };
}

/** The rarest of the texts that every match contains, without those that are part of all the literals. */
function rarestOthers(all: readonly PossibleTexts[], literals: readonly string[]): readonly string[] {
  const further = all.flatMap((texts) => toLiterals(texts) ?? []);
  return [...new Set(further)]
    .filter((text) => !literals.every((literal) => literal.includes(text)))
    .sort((a, b) => frequencyOfAny([a]) - frequencyOfAny([b]))
    .slice(0, MAX_ALSO_REQUIRED);
}

function textsOfAlternatives(alternatives: readonly AST.Alternative[], flags: PatternFlags): KnownTexts {
  let exact: PossibleTexts | undefined = { texts: [], fold: false };
  let required: PossibleTexts | undefined = { texts: [], fold: false };
  let alsoRequired: readonly PossibleTexts[] = [];
  for (const alternative of alternatives) {
    const known = textsOfSequence(alternative.elements, flags);
    alsoRequired = known.alsoRequired;
    exact = union(exact, known.exact);
    required = union(required, cheaper(known.required, known.exact));
  }
  return { exact, required, alsoRequired: alternatives.length === 1 ? alsoRequired : [] };
}

/** Joins adjacent parts as far as they are known, and keeps the texts that are cheapest to look for. */
function textsOfSequence(elements: readonly AST.Element[], flags: PatternFlags): KnownTexts {
  const sequence = new LiteralSequence();
  for (const element of elements) addElement(sequence, element, flags);
  return sequence.end();
}

class LiteralSequence {
  /** What the text since the last gap can be. */
  #run: PossibleTexts = EMPTY;
  /** The end of that, as far back as only one text is possible: a scan for one text is faster than for several. */
  #single: PossibleTexts = EMPTY;
  #whole = true;
  #best: PossibleTexts | undefined;
  readonly #alsoRequired: PossibleTexts[] = [];

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

  /** Handles a lookahead: this text must follow here, although it is not part of this sequence. */
  ahead(exact: PossibleTexts): void {
    this.consider(join(this.#run, exact));
    this.consider(join(this.#single, exact));
  }

  consider(texts: PossibleTexts | undefined): void {
    this.#best = cheaper(this.#best, texts);
    if (texts?.texts.length === 1 && texts.texts[0] !== '') this.#alsoRequired.push(texts);
  }

  /** Adds what a part requires besides its exact texts. */
  include(known: KnownTexts): void {
    this.consider(known.required);
    this.#alsoRequired.push(...known.alsoRequired);
  }

  end(): KnownTexts {
    const exact = this.#whole ? this.#run : undefined;
    this.consider(this.#run);
    this.consider(this.#single);
    return { exact, required: this.#best, alsoRequired: this.#alsoRequired };
  }
}

function addElement(sequence: LiteralSequence, element: AST.Element, flags: PatternFlags): void {
  if (element.type === 'Quantifier') {
    addRepeated(sequence, element, flags);
    return;
  }
  if (element.type === 'Assertion') {
    // An assertion matches no text itself, but the text of a positive lookaround must occur somewhere in the line.
    const isLookaround = element.kind === 'lookahead' || element.kind === 'lookbehind';
    if (!isLookaround || element.negate) return;
    const known = textsOfAlternatives(element.alternatives, flags);
    sequence.consider(known.exact);
    sequence.include(known);
    if (element.kind === 'lookahead' && known.exact) sequence.ahead(known.exact);
    return;
  }
  addKnown(sequence, textsOfElement(element, flags));
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
  const known = textsOfElement(element, flags);
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
  // The repeated part begins with the least number of repetitions, and it ends with them too.
  if (times) sequence.add(times);
  sequence.gap();
  sequence.consider(known.exact);
  sequence.include(known);
  if (times) sequence.add(times);
}

function textsOfElement(
  element: Exclude<AST.Element, AST.Quantifier | AST.Assertion>,
  flags: PatternFlags,
): KnownTexts {
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    return textsOfAlternatives(element.alternatives, flags);
  }
  if (!isCharacterNode(element)) return GAP;
  const texts = oneCharacter(element, flags)?.texts;
  if (!texts) return GAP;
  return { exact: { texts, fold: flags.ignoreCase }, required: undefined, alsoRequired: [] };
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
 * Whether the texts are the whole pattern: it has no assertion, and nothing for which the line that the pattern sees
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
