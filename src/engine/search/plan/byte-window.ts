/**
 * For patterns without a telling literal: a run of adjacent bytes, each of a known class, that every match
 * must contain, such as `[A-Z][0-9][0-9]-`.
 *
 * A character that can only be ASCII is one byte. One that can be more may end a run (its first byte) or
 * begin one (its last byte): there every byte beyond ASCII is allowed, as decoding may make anything of it.
 */
import type { AST } from '@eslint-community/regexpp';
import { type ByteClass, shareAfter, shareOfClass } from '../../kernel/byte-frequency.ts';
import { MAX_WINDOW, type WindowFilter } from '../../kernel/kernel.ts';
import { bytesOf, isCharacterNode, type OneCharacter, oneCharacter } from './characters.ts';
import type { ParsedPattern, Scope } from './parse-pattern.ts';

export interface RequiredWindow {
  filter: WindowFilter;
  /** The estimated share of places in ordinary text where the three chosen positions fit, and the whole run. */
  touched: number;
  share: number;
}

/** How much of each repetition is followed, and of all repetitions within repetitions together. */
const MOST_REPEATS = 8;
const MOST_STEPS = 1000;

export function requiredWindow(pattern: ParsedPattern): RequiredWindow | undefined {
  const [only, ...others] = pattern.root.alternatives;
  if (!only || others.length > 0) return undefined;
  const runs = new Runs();
  addSequence(runs, only.elements, pattern.scope);
  runs.gap();
  return runs.best;
}

class Runs {
  best: RequiredWindow | undefined;
  #run: ByteClass[] = [];
  #steps = MOST_STEPS;

  /** False when no more is to be followed; what has been seen is required all the same. */
  follows(): boolean {
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
      const window = describe(this.#run.slice(start, start + MAX_WINDOW));
      if (window && (!this.best || costOfWindow(window) < costOfWindow(this.best))) this.best = window;
    }
    this.#run = [];
  }
}

function addSequence(runs: Runs, elements: readonly AST.Element[], scope: Scope): void {
  for (const element of elements) {
    if (element.type === 'Assertion') continue;
    if (element.type === 'Quantifier') addRepeated(runs, element, scope);
    else addElement(runs, element, scope);
  }
}

function addElement(runs: Runs, element: AST.Element, scope: Scope): void {
  if (!runs.follows()) {
    runs.gap();
    return;
  }
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    const [only, ...others] = element.alternatives;
    if (only && others.length === 0) {
      addSequence(runs, only.elements, scope);
      return;
    }
  }
  const one = isCharacterNode(element) ? oneCharacter(element, scope) : undefined;
  if (one) runs.add(one);
  else runs.gap();
}

function addRepeated(runs: Runs, { element, min, max }: AST.Quantifier, scope: Scope): void {
  const times = Math.min(min, MOST_REPEATS);
  for (let i = 0; i < times; i++) addElement(runs, element, scope);
  if (min === max && min === times) return;
  runs.gap();
  for (let i = 0; i < times; i++) addElement(runs, element, scope);
}

function only(byte: number): ByteClass {
  const bytes = new Uint8Array(256);
  bytes[byte] = 1;
  return bytes;
}

function utf8Of(text: string): number[] | undefined {
  return /^[\ud800-\udfff]$/.test(text) ? undefined : [...Buffer.from(text, 'utf8')];
}

function describe(run: readonly ByteClass[]): RequiredWindow | undefined {
  if (run.length < 2) return undefined;
  const alone = run.map(shareOfClass);
  const following = run.map((bytes, i) => (i === 0 ? alone[i]! : shareAfter(run[i - 1]!, bytes)));
  const share = following.reduce((product, own) => product * own, 1);
  const allowed = new Uint32Array(256);
  run.forEach((bytes, position) => {
    for (let byte = 0; byte < 256; byte++) if (bytes[byte]) allowed[byte]! |= 1 << position;
  });
  const { at, touched } = mostTelling(alone, following);
  return { filter: { kind: 'window', length: run.length, allowed, at }, touched, share };
}

function mostTelling(
  alone: readonly number[],
  following: readonly number[],
): { at: [number, number, number]; touched: number } {
  let at: [number, number, number] = [0, 0, 0];
  let touched = Number.POSITIVE_INFINITY;
  const own = (position: number, previous: number) => {
    if (previous === position) return 1;
    return previous === position - 1 ? following[position]! : alone[position]!;
  };
  for (let a = 0; a < alone.length; a++) {
    for (let b = a; b < alone.length; b++) {
      for (let c = b; c < alone.length; c++) {
        const together = alone[a]! * own(b, a) * own(c, b);
        if (together >= touched) continue;
        touched = together;
        at = [a, b, c];
      }
    }
  }
  return { at, touched };
}

/** Nanoseconds a byte: the scan, a closer look where three positions fit, and lines that must be decoded. */
export function costOfWindow({ touched, share }: RequiredWindow): number {
  return 0.3 + touched * 8 + share * 1000;
}
