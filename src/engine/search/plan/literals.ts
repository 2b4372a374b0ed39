/**
 * The literal texts of which every match of a pattern must contain one.
 *
 * Each part of a pattern is either known exactly (it matches one of a few texts and nothing else) or is a
 * gap; texts that follow each other without a gap are joined. What stands in a positive lookaround must be
 * in the same line too. When in doubt a part is a gap: the result may be weak, it is never wrong.
 */
import type { AST } from '@eslint-community/regexpp';
import { MAX_ALSO, MAX_LITERAL_BYTES, MAX_LITERALS } from '../../kernel/kernel.ts';
import { isCharacterNode, oneCharacter } from './characters.ts';
import { better, longestWellFormed, shareOfAll, type Texts, toLiterals } from './literal-cost.ts';
import type { ParsedPattern, Scope } from './parse-pattern.ts';

/** Longer texts are not followed to their end: their beginning tells enough. */
const LONGEST_TEXT = 256;

export interface RequiredLiterals {
  /** UTF-8 as one character for each byte. */
  literals: readonly string[];
  ignoreCase: boolean;
  /** Further ones that the line must hold, each of them. */
  also: readonly string[];
  /** A line matches exactly when it holds one of them: nothing else is in the pattern. */
  decide: boolean;
  /** The estimated share of places in ordinary text where one of them stands. */
  share: number;
}

interface Known {
  exact: Texts | undefined;
  required: Texts | undefined;
  /** Single texts that are required as well, all of them. */
  all: readonly Texts[];
}

const EMPTY: Texts = { texts: [''], fold: false };
const GAP: Known = { exact: undefined, required: undefined, all: [] };

export function requiredLiterals(pattern: ParsedPattern): RequiredLiterals | undefined {
  const known = ofAlternatives(pattern.root.alternatives, pattern.scope);
  const best = better(known.exact, known.required);
  const literals = best && toLiterals(best);
  if (!best || !literals) return undefined;
  const decide = best === known.exact && decides(best, pattern);
  return {
    literals,
    ignoreCase: best.fold,
    also: decide ? [] : furtherOnes(known.all, literals),
    decide,
    share: shareOfAll(literals),
  };
}

/** The most telling ones that are not in the literals anyway. */
function furtherOnes(all: readonly Texts[], literals: readonly string[]): readonly string[] {
  const further = all.flatMap((texts) => toLiterals(texts) ?? []);
  return [...new Set(further)]
    .filter((text) => !literals.every((literal) => literal.includes(text)))
    .sort((a, b) => shareOfAll([a]) - shareOfAll([b]))
    .slice(0, MAX_ALSO);
}

function ofAlternatives(alternatives: readonly AST.Alternative[], scope: Scope): Known {
  let exact: Texts | undefined = { texts: [], fold: false };
  let required: Texts | undefined = { texts: [], fold: false };
  let all: readonly Texts[] = [];
  for (const alternative of alternatives) {
    const known = ofSequence(alternative.elements, scope);
    all = known.all;
    exact = union(exact, known.exact);
    required = union(required, better(known.required, known.exact));
  }
  return { exact, required, all: alternatives.length === 1 ? all : [] };
}

/** Joins neighbours as far as they are known, and keeps the most telling stretch. */
function ofSequence(elements: readonly AST.Element[], scope: Scope): Known {
  const sequence = new Sequence();
  for (const element of elements) addElement(sequence, element, scope);
  return sequence.end();
}

class Sequence {
  /** What the text since the last gap can be. */
  #run: Texts = EMPTY;
  /** The same as far as it is one text alone: looked for faster than several. */
  #single: Texts = EMPTY;
  #whole = true;
  #best: Texts | undefined;
  readonly #all: Texts[] = [];

  add(exact: Texts): void {
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

  /** Text that follows right here, although it is not taken by this sequence. */
  ahead(exact: Texts): void {
    this.consider(join(this.#run, exact));
    this.consider(join(this.#single, exact));
  }

  consider(texts: Texts | undefined): void {
    this.#best = better(this.#best, texts);
    if (texts?.texts.length === 1 && texts.texts[0] !== '') this.#all.push(texts);
  }

  /** What a part requires besides what it matches as a whole. */
  include(known: Known): void {
    this.consider(known.required);
    this.#all.push(...known.all);
  }

  end(): Known {
    const exact = this.#whole ? this.#run : undefined;
    this.consider(this.#run);
    this.consider(this.#single);
    return { exact, required: this.#best, all: this.#all };
  }
}

function addElement(sequence: Sequence, element: AST.Element, scope: Scope): void {
  if (element.type === 'Quantifier') {
    addRepeated(sequence, element, scope);
    return;
  }
  if (element.type === 'Assertion') {
    // It takes no text itself; what a positive one holds must stand somewhere in the line.
    const looks = element.kind === 'lookahead' || element.kind === 'lookbehind';
    if (!looks || element.negate) return;
    const known = ofAlternatives(element.alternatives, scope);
    sequence.consider(known.exact);
    sequence.include(known);
    if (element.kind === 'lookahead' && known.exact) sequence.ahead(known.exact);
    return;
  }
  addKnown(sequence, ofElement(element, scope));
}

function addKnown(sequence: Sequence, known: Known): void {
  if (known.exact) {
    sequence.include(known);
    sequence.add(known.exact);
    return;
  }
  sequence.gap();
  sequence.include(known);
}

function addRepeated(sequence: Sequence, quantifier: AST.Quantifier, scope: Scope): void {
  const { element, min, max } = quantifier;
  if (element.type === 'Assertion') return;
  const known = ofElement(element, scope);
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
  // The least number of repetitions stands at the beginning as well as at the end of the repeated part.
  if (times) sequence.add(times);
  sequence.gap();
  sequence.consider(known.exact);
  sequence.include(known);
  if (times) sequence.add(times);
}

function ofElement(element: Exclude<AST.Element, AST.Quantifier | AST.Assertion>, scope: Scope): Known {
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    return ofAlternatives(element.alternatives, scope);
  }
  if (!isCharacterNode(element)) return GAP;
  const texts = oneCharacter(element, scope)?.texts;
  if (!texts) return GAP;
  return { exact: { texts, fold: scope.ignoreCase }, required: undefined, all: [] };
}

function union(a: Texts | undefined, b: Texts | undefined): Texts | undefined {
  if (!a || !b) return undefined;
  const texts = [...new Set([...a.texts, ...b.texts])];
  return texts.length > MAX_LITERALS ? undefined : { texts, fold: a.fold || b.fold };
}

function join(a: Texts, b: Texts): Texts | undefined {
  if (a.texts.length * b.texts.length > MAX_LITERALS) return undefined;
  const texts = [...new Set(a.texts.flatMap((first) => b.texts.map((second) => first + second)))];
  if (texts.some((text) => text.length > LONGEST_TEXT)) return undefined;
  return { texts, fold: a.fold || b.fold };
}

function repeat(one: Texts, times: number): Texts | undefined {
  const [text] = one.texts;
  if (text !== undefined && one.texts.length === 1) {
    const isLong = times > LONGEST_TEXT || text.length * times > LONGEST_TEXT;
    return isLong ? undefined : { texts: [text.repeat(times)], fold: one.fold };
  }
  let all: Texts | undefined = EMPTY;
  for (let i = 0; i < times && all; i++) all = i < LONGEST_TEXT ? join(all, one) : undefined;
  return all;
}

/**
 * Whether the texts are the whole pattern: no assertion, and nothing that the lines as they are seen by the
 * pattern could differ in from their bytes.
 */
function decides(exact: Texts, { root }: ParsedPattern): boolean {
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
