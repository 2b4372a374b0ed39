/** Which texts are worth looking for, as what bytes, and at what cost. */

import { rarityOf } from '../../kernel/byte-frequency.ts';
import { MAX_LITERAL_BYTES, MAX_LITERALS } from '../../kernel/kernel.ts';
import { lowerAscii } from './characters.ts';

/** What a part of a pattern can match: one of these and nothing else. */
export interface Texts {
  texts: readonly string[];
  /** Whether some of the ASCII letters are in lower case because case does not matter. */
  fold: boolean;
}

/**
 * Whichever is looked for at less cost; undefined stands for what cannot be looked for at all. What cost
 * estimates do not know is which words are common: when they hardly differ, longer texts are the safer choice.
 */
export function better(a: Texts | undefined, b: Texts | undefined): Texts | undefined {
  const gain = costOf(a) - costOf(b);
  if (Math.abs(gain) > HARDLY_DIFFERENT || Number.isNaN(gain)) return gain > 0 ? b : a;
  return shortest(b!) > shortest(a!) ? b : a;
}
const HARDLY_DIFFERENT = 0.08;

function shortest({ texts }: Texts): number {
  return Math.min(...texts.map((text) => text.length));
}

function costOf(texts: Texts | undefined): number {
  const literals = texts && toLiterals(texts);
  if (!literals) return Number.POSITIVE_INFINITY;
  return scanCost(literals.length) + shareOfAll(literals) * LINE_COST;
}

/** Nanoseconds: for each line that must be looked at closer, long ones included, and for each byte scanned. */
const LINE_COST = 1000;
const SCAN_COST = [0.06, 0.1, 0.12, 0.16];
function scanCost(literals: number): number {
  return SCAN_COST[literals - 1] ?? 0.26;
}

/** Nanoseconds for each byte of text, when `share` of its places hold one of the literals. */
export function costOfLiterals({ literals, share }: { literals: readonly string[]; share: number }): number {
  return scanCost(literals.length) + share * LINE_COST;
}

/** Undefined when some text is empty, or nothing of it can be looked for as bytes. */
export function toLiterals({ texts, fold }: Texts): readonly string[] | undefined {
  if (texts.length === 0 || texts.length > MAX_LITERALS) return undefined;
  const literals: string[] = [];
  for (const text of texts) {
    const piece = longestWellFormed(fold ? lowerAscii(text) : text);
    const bytes = Buffer.from(piece, 'utf8').toString('latin1').slice(0, MAX_LITERAL_BYTES);
    if (bytes === '') return undefined;
    literals.push(bytes);
  }
  return [...new Set(literals)];
}

/** Halves of surrogate pairs have no bytes of their own; what is left of the text is still required. */
export function longestWellFormed(text: string): string {
  const pieces = text.split(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
}

/** Bytes of a text depend on each other: beyond the first, each tells about half of what it would alone. */
export function shareOfAll(literals: readonly string[]): number {
  let share = 0;
  for (const literal of literals) {
    let bits = 0;
    for (let i = 0; i < literal.length; i++) {
      const own = rarityOf(literal.charCodeAt(i));
      bits += i === 0 ? own : own / 2;
    }
    share += 2 ** -bits;
  }
  return Math.min(1, share);
}
