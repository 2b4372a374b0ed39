/** Refuses half of a character: it would reach the disk as a replacement character, without a word. */
import { fail } from '../engine/index.ts';

/** Fails with `bad-arguments` for a lone surrogate in one of these texts, by their names. */
export function requireWholeText(texts: Readonly<Record<string, unknown>>): void {
  const problems = Object.entries(texts).flatMap(([field, text]) => {
    if (typeof text !== 'string' || (text as string & { isWellFormed(): boolean }).isWellFormed()) return [];
    return [
      { field, missing: false, message: `${field} is not valid Unicode: it holds half of a character` },
    ];
  });
  if (problems.length > 0) fail({ kind: 'bad-arguments', problems });
}
