/**
 * Finds a window of adjacent bytes, each of a known class, that every match must contain, for patterns without a
 * rare literal, such as `[A-Z][0-9][0-9]-`.
 *
 * A character that can only be ASCII is one byte. Any other character can only end a window (with its first byte) or
 * begin one (with its last byte). Every byte beyond ASCII is allowed there, since decoding may turn it into any
 * character.
 */
import type { AST } from '@eslint-community/regexpp';
import { type ByteClass, classFrequency, frequencyAfter } from '../../kernel/byte-frequency.ts';
import { MAX_WINDOW } from '../../kernel/filter-tables.ts';
import type { WindowFilter } from '../../kernel/prefilter.ts';
import { bytesOf, isCharacterNode, type OneCharacter, oneCharacter } from './characters.ts';
import type { ParsedPattern, PatternFlags } from './parse-pattern.ts';

export interface RequiredWindow {
  filter: WindowFilter;
  /** An estimate: the share of all places in ordinary text where the three chosen positions match. */
  candidateFrequency: number;
  /** The same for all positions of the window. */
  frequency: number;
}

/** How many times to follow each repetition, and how many steps to take in the whole pattern. */
const MOST_REPEATS = 8;
const MOST_STEPS = 1000;

export function requiredWindow(pattern: ParsedPattern): RequiredWindow | undefined {
  const [only, ...others] = pattern.root.alternatives;
  if (!only || others.length > 0) return undefined;
  const finder = new WindowFinder();
  addSequence(finder, only.elements, pattern.flags);
  finder.gap();
  return finder.best;
}

class WindowFinder {
  best: RequiredWindow | undefined;
  #run: ByteClass[] = [];
  #steps = MOST_STEPS;

  /** False when the steps are used up. The bytes found so far are still required. */
  mayStep(): boolean {
    return this.#steps-- > 0;
  }

  add(one: OneCharacter): void {
    if (one.onlyAscii) {
      this.#run.push(bytesOf(one));
      return;
    }
    const exact = one.texts?.length === 1 ? utf8Of(one.texts[0]!) : undefined;
    if (exact) {
      this.#run.push(...exact.map(only));
      return;
    }
    this.#run.push(bytesOf(one));
    this.gap();
    this.#run.push(bytesOf(one));
  }

  gap(): void {
    for (let start = 0; start === 0 || start + 2 <= this.#run.length; start += MAX_WINDOW / 2) {
      const window = describeWindow(this.#run.slice(start, start + MAX_WINDOW));
      if (window && (!this.best || costOfWindow(window) < costOfWindow(this.best))) this.best = window;
    }
    this.#run = [];
  }
}

function addSequence(finder: WindowFinder, elements: readonly AST.Element[], flags: PatternFlags): void {
  for (const element of elements) {
    if (element.type === 'Assertion') continue;
    if (element.type === 'Quantifier') addRepeated(finder, element, flags);
    else addElement(finder, element, flags);
  }
}

function addElement(finder: WindowFinder, element: AST.Element, flags: PatternFlags): void {
  if (!finder.mayStep()) {
    finder.gap();
    return;
  }
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    const [only, ...others] = element.alternatives;
    if (only && others.length === 0) {
      addSequence(finder, only.elements, flags);
      return;
    }
  }
  const one = isCharacterNode(element) ? oneCharacter(element, flags) : undefined;
  if (one) finder.add(one);
  else finder.gap();
}

function addRepeated(finder: WindowFinder, { element, min, max }: AST.Quantifier, flags: PatternFlags): void {
  const times = Math.min(min, MOST_REPEATS);
  for (let i = 0; i < times; i++) addElement(finder, element, flags);
  if (min === max && min === times) return;
  finder.gap();
  for (let i = 0; i < times; i++) addElement(finder, element, flags);
}

function only(byte: number): ByteClass {
  const bytes = new Uint8Array(256);
  bytes[byte] = 1;
  return bytes;
}

function utf8Of(text: string): number[] | undefined {
  return /^[\ud800-\udfff]$/.test(text) ? undefined : [...Buffer.from(text, 'utf8')];
}

export function describeWindow(run: readonly ByteClass[]): RequiredWindow | undefined {
  if (run.length < 2) return undefined;
  const alone = run.map(classFrequency);
  const following = run.map((bytes, i) => (i === 0 ? alone[i]! : frequencyAfter(run[i - 1]!, bytes)));
  const frequency = following.reduce((product, own) => product * own, 1);
  const allowed = new Uint32Array(256);
  run.forEach((bytes, position) => {
    for (let byte = 0; byte < 256; byte++) if (bytes[byte]) allowed[byte]! |= 1 << position;
  });
  const { at, candidateFrequency } = rarestPositions(alone, following);
  return { filter: { kind: 'window', length: run.length, allowed, at }, candidateFrequency, frequency };
}

function rarestPositions(
  alone: readonly number[],
  following: readonly number[],
): { at: [number, number, number]; candidateFrequency: number } {
  let at: [number, number, number] = [0, 0, 0];
  let candidateFrequency = Number.POSITIVE_INFINITY;
  const own = (position: number, previous: number) => {
    if (previous === position) return 1;
    return previous === position - 1 ? following[position]! : alone[position]!;
  };
  for (let a = 0; a < alone.length; a++) {
    for (let b = a; b < alone.length; b++) {
      for (let c = b; c < alone.length; c++) {
        const together = alone[a]! * own(b, a) * own(c, b);
        if (together >= candidateFrequency) continue;
        candidateFrequency = together;
        at = [a, b, c];
      }
    }
  }
  return { at, candidateFrequency };
}

/** The least that looking for a window costs. */
export const LEAST_WINDOW_COST = 0.3;

/** In nanoseconds for each byte: the scan, the check of all positions where three match, and the lines to decode. */
export function costOfWindow({ candidateFrequency, frequency }: RequiredWindow): number {
  return LEAST_WINDOW_COST + candidateFrequency * 8 + frequency * 1000;
}
