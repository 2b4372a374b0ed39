/** Computes which marks (hashes of three bytes) the signature of a file must have so that the file can match. */
import type { Kernel } from '../../kernel/kernel.ts';
import type { Prefilter } from '../../kernel/prefilter.ts';

export interface WantedMarks {
  /** The signature must have all marks of at least one of these lists. */
  anyOf: readonly (readonly number[])[];
  /** The signature must have all of these too. */
  all: readonly number[];
}

/** Undefined if signatures cannot rule out files: the pattern has no literals, or one is shorter than three bytes. */
export function wantedMarks(kernel: Kernel, filter: Prefilter | undefined): WantedMarks | undefined {
  if (filter?.kind !== 'literals') return undefined;
  const anyOf = filter.literals.map((literal) => marksOf(kernel, literal));
  const all = (filter.alsoRequired ?? []).flatMap((literal) => marksOf(kernel, literal));
  const tells = anyOf.every((marks) => marks.length > 0) || all.length > 0;
  return tells ? { anyOf, all } : undefined;
}

/** The marks of a literal, which has one character for each byte. */
function marksOf(kernel: Kernel, literal: string): number[] {
  const marks = new Set<number>();
  for (let at = 0; at + 3 <= literal.length; at++) {
    const [first, second, third] = [0, 1, 2].map((offset) => literal.charCodeAt(at + offset));
    marks.add(kernel.markOf(first!, second!, third!));
  }
  return [...marks];
}
