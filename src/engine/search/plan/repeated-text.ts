/**
 * Finds a text that every match contains twice, for patterns with a backreference: `(\w{4,})_\1`, `\b(\w+)\s+\1\b`.
 *
 * The text must be ASCII: for other characters, different bytes may decode to the same text. If case does not matter, a
 * letter that equals a character beyond ASCII, such as `k` and the Kelvin sign, does not count as ASCII.
 */
import type { AST } from '@eslint-community/regexpp';
import type { ByteClass } from '../../kernel/byte-frequency.ts';
import { MAX_WINDOW } from '../../kernel/filter-tables.ts';
import type { RepeatFilter } from '../../kernel/prefilter.ts';
import { type Extent, extentOf } from './byte-run.ts';
import { describeWindow, LEAST_WINDOW_COST } from './byte-window.ts';
import { bytesOf, isCharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern, PatternFlags } from './parse-pattern.ts';

export interface RequiredRepeat {
  filter: RepeatFilter;
  /** An estimate: the share of all places in ordinary text where the three chosen positions match. */
  candidateFrequency: number;
  /** The same for all positions of the window. */
  windowFrequency: number;
  /** The same for the window and the repeated text. */
  frequency: number;
}

/** How many bytes of the text the window includes: more rule out hardly any further places. */
const MOST_IN_WINDOW = 4;
/** In bytes. The kernel compares no longer texts. */
const LONGEST_LEAST = 255;
/** About how likely it is that the next byte of a text is a given one. */
const SAME_BYTE = 0.1;
/** Most words have at least this many letters. */
const SHORT_WORD = 3;

export function requiredRepeat({ root, flags }: ParsedPattern): RequiredRepeat | undefined {
  const [only, ...others] = root.alternatives;
  if (!only || others.length > 0) return undefined;
  const { elements } = only;
  const found = elements.flatMap((element, second) => {
    const first = element.type === 'Backreference' ? elements.indexOf(element.resolved as AST.Element) : -1;
    return first >= 0 && first < second ? (repeatOf(elements, first, second, flags) ?? []) : [];
  });
  return found.sort((a, b) => costOfRepeat(a) - costOfRepeat(b))[0];
}

/** The filter for the group at `first` and the reference to it at `second`. */
function repeatOf(
  elements: readonly AST.Element[],
  first: number,
  second: number,
  flags: PatternFlags,
): RequiredRepeat | undefined {
  const text = extentOf([elements[first]!], flags);
  if (text.least === 0 || text.bytes.subarray(128).includes(1)) return undefined;
  const own = Array<ByteClass>(Math.min(text.least, MOST_IN_WINDOW)).fill(text.bytes);
  const between = betweenOf(elements.slice(first + 1, second), text, flags);
  const before = between && (between.gap === undefined ? between.bytes : [...own, ...between.bytes]);
  const window = before && before.length + own.length <= MAX_WINDOW && describeWindow([...before, ...own]);
  if (!window) return undefined;
  const isWord = text.bytes.every((is, byte) => !is || /\w/.test(String.fromCharCode(byte)));
  const fromWord = isWord && isWordEdge(elements[first - 1], flags);
  const toWord = isWord && isWordEdge(elements[second + 1], flags);
  const least = Math.min(text.least, LONGEST_LEAST);
  const likely = fromWord && toWord ? Math.max(least, SHORT_WORD) : least;
  return {
    filter: {
      ...window.filter,
      kind: 'repeat',
      lead: before.length,
      least,
      gap: between.gap,
      fromWord,
      toWord,
      ignoreCase: flags.ignoreCase,
    },
    candidateFrequency: window.candidateFrequency,
    windowFrequency: window.frequency,
    frequency: window.frequency * SAME_BYTE ** likely,
  };
}

/** What is between both: single characters, or anything that cannot be confused with a part of the text. */
function betweenOf(
  elements: readonly AST.Element[],
  text: Extent,
  flags: PatternFlags,
): { gap: number | undefined; bytes: readonly ByteClass[] } | undefined {
  const taken = elements.filter(({ type }) => type !== 'Assertion');
  const single = taken.flatMap((element) => {
    const one = isCharacterNode(element) ? oneCharacter(element, flags) : undefined;
    return one?.onlyAscii ? [bytesOf(one)] : [];
  });
  if (single.length === taken.length) return { gap: single.length, bytes: single };
  const { least, bytes } = extentOf(taken, flags);
  const overlaps = bytes.some((is, byte) => is === 1 && text.bytes[byte] === 1);
  return least === 0 || overlaps ? undefined : { gap: undefined, bytes: [bytes] };
}

/** With the flags `i` and `u`, letters beyond ASCII count as parts of words, which the kernel does not know. */
function isWordEdge(element: AST.Element | undefined, { ignoreCase, unicode }: PatternFlags): boolean {
  if (ignoreCase && unicode) return false;
  return element?.type === 'Assertion' && element.kind === 'word' && !element.negate;
}

/** In nanoseconds for each byte: the scan, the checks of the window and of the text before it, the lines to decode. */
export function costOfRepeat(repeat: RequiredRepeat): number {
  return (
    LEAST_WINDOW_COST + repeat.candidateFrequency * 8 + repeat.windowFrequency * 15 + repeat.frequency * 1000
  );
}
