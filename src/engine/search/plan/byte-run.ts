/**
 * Finds a run of bytes of one class that every match must contain, for patterns whose matches are long and made of
 * few kinds of characters, such as 60 of `[A-Za-z0-9_]` for `\w{60,}`, or 19 letters for `[a-z]+(?:[A-Z][a-z]+){9}`.
 *
 * A character is at least one byte. For a character that may be beyond ASCII, every byte beyond ASCII is allowed.
 */
import type { AST } from '@eslint-community/regexpp';
import { type ByteClass, classFrequency, frequencyAfter } from '../../kernel/byte-frequency.ts';
import type { RunFilter } from '../../kernel/prefilter.ts';
import { bytesOf, isCharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern, PatternFlags } from './parse-pattern.ts';

export interface RequiredRun {
  filter: RunFilter;
  /** An estimate: the share of all places in ordinary text where such a run begins. */
  frequency: number;
}

/** What a part of a pattern matches: at least `least` bytes, all of this class. */
export interface Extent {
  least: number;
  bytes: ByteClass;
}

const NEWLINE = 0x0a;
/** Longer runs are not rarer. */
const LONGEST_RUN = 1 << 20;
/** How many adjacent parts of a pattern to combine, and how many combinations to try. */
const MOST_PARTS = 64;
const MOST_STEPS = 4096;

export function requiredRun({ root, flags }: ParsedPattern): RequiredRun | undefined {
  return new RunFinder(flags).bestOf(root.alternatives);
}

export function extentOf(elements: readonly AST.Element[], flags: PatternFlags): Extent {
  return new RunFinder(flags).together(elements);
}

class RunFinder {
  readonly #flags: PatternFlags;
  readonly #known = new Map<AST.Element, Extent>();
  #best: RequiredRun | undefined;
  #steps = MOST_STEPS;

  constructor(flags: PatternFlags) {
    this.#flags = flags;
  }

  bestOf(alternatives: readonly AST.Alternative[]): RequiredRun | undefined {
    this.#consider(this.#either(alternatives));
    const [only, ...others] = alternatives;
    if (only && others.length === 0) this.#lookInto(only.elements);
    return this.#best;
  }

  /** Considers all combinations of adjacent parts in a sequence that every match contains, and what is inside them. */
  #lookInto(elements: readonly AST.Element[]): void {
    const extents = elements.map((element) => this.#extentOf(element));
    extents.forEach((extent, from) => {
      let together = extent;
      this.#consider(together);
      for (const next of extents.slice(from + 1, from + MOST_PARTS)) {
        if (this.#steps-- <= 0) return;
        together = joined(together, next);
        this.#consider(together);
      }
    });
    for (const element of elements) {
      const inner = element.type === 'Quantifier' && element.min > 0 ? element.element : element;
      if (inner.type !== 'Group' && inner.type !== 'CapturingGroup') continue;
      const [only, ...others] = inner.alternatives;
      if (only && others.length === 0 && this.#steps > 0) this.#lookInto(only.elements);
    }
  }

  #consider({ least, bytes }: Extent): void {
    if (least < 2) return;
    const run = describe(least, bytes);
    if (!this.#best || costOfRun(run) < costOfRun(this.#best)) this.#best = run;
  }

  #extentOf(element: AST.Element): Extent {
    const known = this.#known.get(element);
    if (known) return known;
    const extent = this.#measure(element);
    this.#known.set(element, extent);
    return extent;
  }

  #measure(element: AST.Element): Extent {
    if (element.type === 'Assertion') return NOTHING;
    if (element.type === 'Group' || element.type === 'CapturingGroup')
      return this.#either(element.alternatives);
    if (element.type === 'Quantifier') {
      if (element.max === 0) return NOTHING;
      const { least, bytes } = this.#extentOf(element.element);
      return { least: Math.min(least * element.min, LONGEST_RUN), bytes };
    }
    const one = isCharacterNode(element) ? oneCharacter(element, this.#flags) : undefined;
    return one ? { least: 1, bytes: bytesOf(one) } : { least: 0, bytes: ANYTHING };
  }

  together(elements: readonly AST.Element[]): Extent {
    return elements.map((element) => this.#extentOf(element)).reduce(joined, NOTHING);
  }

  #either(alternatives: readonly AST.Alternative[]): Extent {
    const extents = alternatives.map(({ elements }) => this.together(elements));
    return {
      least: Math.min(...extents.map(({ least }) => least)),
      bytes: extents.map(({ bytes }) => bytes).reduce(union),
    };
  }
}

const ANYTHING: ByteClass = new Uint8Array(256).fill(1).fill(0, NEWLINE, NEWLINE + 1);
const NOTHING: Extent = { least: 0, bytes: new Uint8Array(256) };

function joined(a: Extent, b: Extent): Extent {
  return { least: Math.min(a.least + b.least, LONGEST_RUN), bytes: union(a.bytes, b.bytes) };
}

/** Returns `a` itself if `b` adds nothing to it: its frequencies are already known. */
function union(a: ByteClass, b: ByteClass): ByteClass {
  let both: ByteClass | undefined;
  for (let byte = 0; byte < a.length; byte++) {
    if (!b[byte] || a[byte]) continue;
    both ??= a.slice();
    both[byte] = 1;
  }
  return both ?? a;
}

interface ClassFrequencies {
  /** The share of all bytes that belong to the class. */
  alone: number;
  /** The share of the bytes after one of the class that belong to the class too. */
  follows: number;
}

/** For one pattern the finder considers thousands of combinations, most of them of a few classes. */
const frequencies = new WeakMap<ByteClass, ClassFrequencies>();

function frequenciesOf(bytes: ByteClass): ClassFrequencies {
  let known = frequencies.get(bytes);
  if (!known) {
    known = { alone: classFrequency(bytes), follows: Math.min(frequencyAfter(bytes, bytes), 1) };
    frequencies.set(bytes, known);
  }
  return known;
}

function describe(length: number, bytes: ByteClass): RequiredRun {
  const { alone, follows } = frequenciesOf(bytes);
  const frequency = alone * (1 - follows) * follows ** (length - 1);
  return { filter: { kind: 'run', length, bytes }, frequency };
}

/** The least that looking for a run costs. */
export const LEAST_RUN_COST = 0.1;

/** In nanoseconds for each byte: the scan, which examines fewer bytes for a longer run, and the lines to decode. */
export function costOfRun({ filter, frequency }: RequiredRun): number {
  return LEAST_RUN_COST + 4 / filter.length + frequency * 1000;
}
