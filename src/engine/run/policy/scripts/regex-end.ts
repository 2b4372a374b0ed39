/** Finds every place where a regular expression in a script may end, as versions of awk and sed see it. */

/** The check refuses longer expressions: a hostile script could have many of them. */
export const MAX_REGEX_LENGTH = 4096;

/** Where a version may be: outside of brackets, behind one that opens, in brackets, in one kind of class. */
const OUTSIDE = 1;
const FIRST = 2;
const INSIDE = 4;
const CLASSES: Readonly<Record<string, number>> = { ':': 8, '.': 16, '=': 32 };

/**
 * The positions behind each delimiter that ends the expression in some version; `start` is where the expression
 * begins. None when it has no end on its line, which is a mistake in every version; undefined when it is too
 * long to say.
 *
 * Some versions know no brackets here, so that a delimiter in them ends the expression. Of the others, some take
 * a backslash in brackets literally, some end a class like `[:alpha:]` at any bracket, and some know no classes.
 * With `overLines` a line end is a character like any other.
 */
export function regexEnds(
  script: string,
  start: number,
  delimiter: string,
  { overLines = false } = {},
): number[] | undefined {
  const ends: number[] = [];
  let here = OUTSIDE;
  // A backslash takes the next character along, so versions may be one character apart.
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

/** The places behind a character, and those behind the one after it. */
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
