/** Refuses half of a character, which would silently reach the disk as a replacement character. */
import { fail } from '../engine/index.ts';
import { isWellFormed } from '../utf16.ts';

/** Fails with `bad-arguments` if one of these texts, by argument name, has a lone surrogate. */
export function requireWholeText(texts: Readonly<Record<string, unknown>>): void {
  const problems = Object.entries(texts).flatMap(([field, text]) => {
    if (typeof text !== 'string' || isWellFormed(text)) return [];
    return [
      { field, missing: false, message: `${field} is not valid Unicode: it holds half of a character` },
    ];
  });
  if (problems.length > 0) fail({ kind: 'bad-arguments', problems });
}
