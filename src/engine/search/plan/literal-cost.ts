/** Chooses the texts that are cheapest to look for, converts them to bytes, and estimates what the scan costs. */

import { rarityOf } from '../../kernel/byte-frequency.ts';
import { MAX_LITERAL_BYTES, MAX_LITERALS } from '../../kernel/filter-tables.ts';
import { lowerAscii } from './characters.ts';

/** What a part of a pattern can match: one of these texts and nothing else. */
export interface PossibleTexts {
  texts: readonly string[];
  /** Whether case does not matter: then some of the ASCII letters are in lower case. */
  fold: boolean;
}

/**
 * The texts that cost less to look for; undefined stands for texts that no scan can look for. The estimate does not
 * know which words are common, so if two costs hardly differ, longer texts are the safer choice.
 */
export function cheaper(
  a: PossibleTexts | undefined,
  b: PossibleTexts | undefined,
): PossibleTexts | undefined {
  const gain = costOf(a) - costOf(b);
  if (Math.abs(gain) > HARDLY_DIFFERENT || Number.isNaN(gain)) return gain > 0 ? b : a;
  return shortest(b!) > shortest(a!) ? b : a;
}
const HARDLY_DIFFERENT = 0.08;

function shortest({ texts }: PossibleTexts): number {
  return Math.min(...texts.map((text) => text.length));
}

function costOf(texts: PossibleTexts | undefined): number {
  const literals = texts && toLiterals(texts);
  if (!literals) return Number.POSITIVE_INFINITY;
  return scanCost(literals.length) + frequencyOfAny(literals) * LINE_COST;
}

/** In nanoseconds for each line to decode, an average that includes long ones. */
const LINE_COST = 1000;
/** In nanoseconds for each byte to scan, for one literal, two, and so on. */
const SCAN_COST = [0.06, 0.1, 0.12, 0.16];
function scanCost(literals: number): number {
  return SCAN_COST[literals - 1] ?? 0.26;
}

/** In nanoseconds for each byte of text. */
export function costOfLiterals({
  literals,
  frequency,
}: {
  literals: readonly string[];
  frequency: number;
}): number {
  return scanCost(literals.length) + frequency * LINE_COST;
}

/** The texts as bytes. Undefined if a text is empty or has no part that can be encoded, or there are too many. */
export function toLiterals({ texts, fold }: PossibleTexts): readonly string[] | undefined {
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

/** Halves of surrogate pairs have no encoding; the longest part without them is still required. */
export function longestWellFormed(text: string): string {
  const pieces = text.split(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
}

/** The bytes of a text depend on each other, so each byte after the first counts half of what it would alone. */
export function frequencyOfAny(literals: readonly string[]): number {
  let frequency = 0;
  for (const literal of literals) {
    let bits = 0;
    for (let i = 0; i < literal.length; i++) {
      const own = rarityOf(literal.charCodeAt(i));
      bits += i === 0 ? own : own / 2;
    }
    frequency += 2 ** -bits;
  }
  return Math.min(1, frequency);
}
