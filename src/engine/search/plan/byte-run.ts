/**
 * For patterns of which every match is long and made of few kinds of characters: so many bytes of one class in
 * a row, such as 60 of `[A-Za-z0-9_]` for `\\w{60,}`, or 19 letters for `[a-z]+(?:[A-Z][a-z]+){9}`.
 *
 * A character is at least one byte. Of one that may be beyond ASCII every byte beyond it is allowed.
 */
import type { AST } from '@eslint-community/regexpp';
import { type ByteClass, shareAfter, shareOfClass } from '../../kernel/byte-frequency.ts';
import type { RunFilter } from '../../kernel/kernel.ts';
import { bytesOf, isCharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern, Scope } from './parse-pattern.ts';

export interface RequiredRun {
  filter: RunFilter;
  /** The estimated share of places in ordinary text where such a run begins. */
  share: number;
}

/** What a part of a pattern takes up: at least so many bytes, all of them of this class. */
interface Extent {
  least: number;
  bytes: ByteClass;
}

const NEWLINE = 0x0a;
/** Longer ones tell no more. */
const LONGEST_RUN = 1 << 20;
/** Parts of a pattern that are looked at together, and how many combinations of them. */
const MOST_PARTS = 64;
const MOST_STEPS = 4096;

export function requiredRun({ root, scope }: ParsedPattern): RequiredRun | undefined {
  return new Runs(scope).bestOf(root.alternatives);
}

class Runs {
  readonly #scope: Scope;
  readonly #known = new Map<AST.Element, Extent>();
  #best: RequiredRun | undefined;
  #steps = MOST_STEPS;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  bestOf(alternatives: readonly AST.Alternative[]): RequiredRun | undefined {
    this.#consider(this.#either(alternatives));
    const [only, ...others] = alternatives;
    if (only && others.length === 0) this.#lookInto(only.elements);
    return this.#best;
  }

  /** All rows of neighbours in a sequence that every match holds, and what is inside of them. */
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
    const one = isCharacterNode(element) ? oneCharacter(element, this.#scope) : undefined;
    return one ? { least: 1, bytes: bytesOf(one) } : { least: 0, bytes: ANYTHING };
  }

  #either(alternatives: readonly AST.Alternative[]): Extent {
    const extents = alternatives.map(({ elements }) =>
      elements.map((element) => this.#extentOf(element)).reduce(joined, NOTHING),
    );
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

/** The very class `a` where `b` adds nothing to it: what is known of a class need not be worked out again. */
function union(a: ByteClass, b: ByteClass): ByteClass {
  let both: ByteClass | undefined;
  for (let byte = 0; byte < a.length; byte++) {
    if (!b[byte] || a[byte]) continue;
    both ??= a.slice();
    both[byte] = 1;
  }
  return both ?? a;
}

interface Shares {
  alone: number;
  /** Among the bytes that follow one of the class. */
  follows: number;
}

/** Thousands of rows are considered for one pattern, and most of them are of a few classes. */
const shares = new WeakMap<ByteClass, Shares>();

function sharesOf(bytes: ByteClass): Shares {
  let known = shares.get(bytes);
  if (!known) {
    known = { alone: shareOfClass(bytes), follows: Math.min(shareAfter(bytes, bytes), 1) };
    shares.set(bytes, known);
  }
  return known;
}

function describe(length: number, bytes: ByteClass): RequiredRun {
  const { alone, follows } = sharesOf(bytes);
  const share = alone * (1 - follows) * follows ** (length - 1);
  return { filter: { kind: 'run', length, bytes }, share };
}

/** Nanoseconds a byte: the fewer are looked at the longer the run is; and lines that must be decoded. */
export function costOfRun({ filter, share }: RequiredRun): number {
  return 0.1 + 4 / filter.length + share * 1000;
}
