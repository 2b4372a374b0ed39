/**
 * Finds the first match in a very long line without decoding all of it: tries the pattern on a window of text around
 * each candidate. What is outside the window cannot affect the match, see plan/bytes-examined.ts.
 */
import type { Kernel } from '../../kernel/kernel.ts';
import type { MatcherSpec } from '../plan/plan.ts';

/** In bytes. For longer windows, decoding the whole line is as fast. */
const LONGEST_WINDOW = 4096;
/** In bytes. If candidates are closer to each other, decoding the whole line is faster. */
const CANDIDATE_DISTANCE = 256;

/** A window of text that contains the first match. */
export interface MatchInWindow {
  /** Where the window begins and ends in the kernel's memory. */
  start: number;
  end: number;
  text: string;
  /** Where the match begins in the text, and how long it is. */
  at: number;
  matched: number;
}

/** The first match in the line that the kernel found, in [start, end); `unsure` if only the whole line can tell. */
export function firstMatch(
  kernel: Kernel,
  pattern: RegExp,
  { bytesExamined, candidatesMatch }: MatcherSpec,
  start: number,
  end: number,
): MatchInWindow | 'none' | 'unsure' {
  if (!bytesExamined) return 'unsure';
  const encoding = kernel.lineIsAscii ? 'latin1' : 'utf8';
  const { bytes } = kernel;
  let tries = Math.ceil((end - start) / CANDIDATE_DISTANCE);
  for (let candidate = kernel.candidate; candidate !== 0 && candidate < end; ) {
    if (tries-- === 0) return 'unsure';
    let first = candidate;
    while (first > start && bytesExamined[bytes[first - 1]!] === 1 && candidate - first < LONGEST_WINDOW)
      first--;
    let last = candidate;
    while (last < end && bytesExamined[bytes[last]!] === 1 && last - candidate < LONGEST_WINDOW) last++;
    if (last - first >= LONGEST_WINDOW && !candidatesMatch) return 'unsure';
    // One character more on each side, for assertions such as \b.
    const from = characterBefore(bytes, start, first);
    const to = characterAfter(bytes, last, end);
    const text = bytes.toString(encoding, from, to);
    const found = pattern.exec(text);
    if (found) return { start: from, end: to, text, at: found.index, matched: found[0].length };
    candidate = last < end ? kernel.nextCandidate(Math.max(last, candidate + 1), end) : 0;
  }
  return 'none';
}

/** The most bytes of a character. */
const MOST_BYTES = 4;
/** Two line ends that `.` does not match, in UTF-8: a match in bytes may extend across them, one in text may not. */
const SEPARATORS = ['\u2028', '\u2029'].map((separator) => Buffer.from(separator));

/**
 * The same in a line that is not ASCII, for a pattern that works on bytes: see plan/works-on-bytes.ts. It decodes only
 * as much of the match as a line of `length` characters can show.
 */
export function matchInBytes(
  { bytes }: Kernel,
  pattern: RegExp,
  start: number,
  end: number,
  length: number,
): MatchInWindow | 'none' | 'unsure' {
  const found = pattern.exec(bytes.toString('latin1', start, end));
  if (!found) return 'none';
  const from = start + found.index;
  const to = from + found[0].length;
  if (splitsCharacter(bytes, start, from) || (to < end && splitsCharacter(bytes, start, to))) return 'unsure';
  if (SEPARATORS.some((separator) => bytes.subarray(from, to).includes(separator))) return 'unsure';
  const last = Math.min(to, nextCharacter(bytes, Math.min(end, from + length * MOST_BYTES)));
  const text = bytes.toString('utf8', from, last);
  return { start: from, end: last, text, at: 0, matched: last < to ? length : text.length };
}

/** How much of a line `longMatch` searches, in bytes. */
const PART = 64 * 1024;

/**
 * A match that begins at the first candidate of the line and is longer than a line of `length` characters can show, so
 * that its exact length does not matter. Searching a part of the line is enough to find it.
 */
export function longMatch(
  { bytes, candidate }: Kernel,
  pattern: RegExp,
  end: number,
  length: number,
): MatchInWindow | undefined {
  const part = candidate + Math.max(PART, 4 * length * MOST_BYTES);
  if (candidate === 0 || part >= end) return undefined;
  const found = pattern.exec(bytes.toString('latin1', candidate, part));
  const matched = found?.[0].length ?? 0;
  if (found?.index !== 0 || matched < length * MOST_BYTES) return undefined;
  const to = nextCharacter(bytes, candidate + matched);
  if (SEPARATORS.some((separator) => bytes.subarray(candidate, to).includes(separator))) return undefined;
  const last = Math.min(to, nextCharacter(bytes, candidate + length * MOST_BYTES));
  const text = bytes.toString('utf8', candidate, last);
  return { start: candidate, end: last, text, at: 0, matched: length };
}

/** Whether a place may be in the middle of a character. */
function splitsCharacter(bytes: Uint8Array, start: number, place: number): boolean {
  return place > start && bytes[place - 1]! > 0x7f && isContinuation(bytes[place]!);
}

/** Where the character before a place begins. */
function characterBefore(bytes: Uint8Array, start: number, place: number): number {
  if (place === start) return place;
  let at = place - 1;
  while (at > start && at > place - 4 && isContinuation(bytes[at]!)) at--;
  // No character has more than three continuation bytes: a fourth one stands for itself.
  return isContinuation(bytes[at]!) ? place - 1 : at;
}

/** Where the character at a place ends. */
function characterAfter(bytes: Uint8Array, place: number, end: number): number {
  let at = Math.min(place + 1, end);
  if (place < end && bytes[place]! < 0xc0) return at;
  while (at < end && at < place + 4 && isContinuation(bytes[at]!)) at++;
  return at;
}

/** The first place, from this one on, that is not in the middle of a character. */
export function nextCharacter(bytes: Uint8Array, place: number): number {
  let at = place;
  while (at < place + 3 && isContinuation(bytes[at]!)) at++;
  return at;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
