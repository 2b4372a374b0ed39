/** Finds every place where a regular expression in a script may end for some version of awk or sed. */

/** The check refuses longer expressions, since a hostile script could have many of them. */
export const MAX_REGEX_LENGTH = 4096;

/** The states of a version: outside brackets, just after an opening bracket, inside brackets, in one kind of class. */
const OUTSIDE = 1;
const FIRST = 2;
const INSIDE = 4;
const CLASSES: Readonly<Record<string, number>> = { ':': 8, '.': 16, '=': 32 };

/**
 * The positions after each delimiter that ends the expression in some version. `start` is where the expression begins.
 * The list is empty when the expression has no end on its line, which is an error in every version. It is undefined
 * when the expression is too long to check.
 *
 * Some versions do not recognise brackets here, so that a delimiter inside them ends the expression. Of the others,
 * some take a backslash in brackets literally, some end a class like `[:alpha:]` at any bracket, and some know no
 * classes. With `overLines` a line end is a character like any other.
 */
export function regexEnds(
  script: string,
  start: number,
  delimiter: string,
  { overLines = false } = {},
): number[] | undefined {
  const ends: number[] = [];
  let here = OUTSIDE;
  // For some versions a backslash covers the next character as well, so they may be one character ahead.
  let ahead = 0;
  for (let at = start; at < script.length && (here | ahead) > 0; at++) {
    if (at - start > MAX_REGEX_LENGTH) return undefined;
    const character = script[at]!;
    if (character === '\n' && !overLines) here = 0;
    if (here & OUTSIDE && character === delimiter) {
      ends.push(at + 1);
      // A bracket that is itself the delimiter may still open a class.
      if (character !== '[') here &= ~OUTSIDE;
    }
    const [next, behind] = places(here, character, script[at + 1]);
    here = next | ahead;
    ahead = behind;
  }
  return ends;
}

/** The states after a character, and those after the character that follows it. */
function places(here: number, character: string, following: string | undefined): [number, number] {
  const literal = here & FIRST ? (here & ~FIRST) | INSIDE : here;
  if (character === '\\') return [literal & ~OUTSIDE, literal];
  let next = here & OUTSIDE;
  let behind = 0;
  if (here & OUTSIDE && character === '[') next |= FIRST;
  if (here & (FIRST | INSIDE)) {
    if (here & FIRST && character === '^') next |= FIRST;
    if (character === ']') next |= OUTSIDE;
    if (character !== ']' || here & FIRST) next |= INSIDE;
    if (character === '[') next |= CLASSES[following ?? ''] ?? 0;
  }
  for (const [kind, place] of Object.entries(CLASSES)) {
    if (!(here & place)) continue;
    if (character === kind && following === ']') behind |= INSIDE;
    else next |= place;
    if (character === ']') next |= INSIDE;
  }
  return [next, behind];
}
