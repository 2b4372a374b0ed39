/**
 * A text in the form in which it is searched, with a mapping back to positions in the real text.
 *
 * Searches use the view, so that `\n` in a search text finds `\r\n`. Changes are made to the real text, so that they
 * touch nothing but the matched part.
 */
export interface TextView {
  text: string;
  /** Maps a position in the view to one in the real text. */
  toReal(at: number): number;
}

/** Every `\r\n` reads as `\n`. */
export function newlineView(real: string): TextView {
  if (!real.includes('\r\n')) return { text: real, toReal: (at) => at };
  return viewWithout(real, lineEndStart);
}

/** Every `\r\n` reads as `\n`, and trailing blanks are left out. */
export function trimmedView(real: string): TextView {
  return viewWithout(real, (text, newline) => blanksStart(text, lineEndStart(text, newline)));
}

/** The start of the line end whose `\n` is at `newline`; for the end of the text, `newline` itself. */
function lineEndStart(text: string, newline: number): number {
  return newline < text.length && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
}

/** The start of the blanks that end at `end`. */
export function blanksStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && isBlank(text.charCodeAt(start - 1))) start--;
  return start;
}

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9;
}

/** Leaves out what is between `startOf` and each `\n`, and between `startOf` and the end of the text. */
function viewWithout(real: string, startOf: (text: string, newline: number) => number): TextView {
  const parts: string[] = [];
  /** Positions in the view where something is left out, and how much is left out up to there. */
  const cuts: number[] = [];
  const left: number[] = [];
  let from = 0;
  let gone = 0;
  for (let newline = nextNewline(real, 0); ; newline = nextNewline(real, newline + 1)) {
    const start = startOf(real, newline);
    if (start < newline) {
      parts.push(real.slice(from, start));
      cuts.push(start - gone);
      gone += newline - start;
      left.push(gone);
      from = newline;
    }
    if (newline >= real.length) break;
  }
  parts.push(real.slice(from));
  return {
    text: parts.join(''),
    // A position at a cut maps to the one before it: the carriage return belongs to the newline that follows.
    toReal: (at) => at + (left[countBelow(cuts, at) - 1] ?? 0),
  };
}

function nextNewline(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** How many of the ascending numbers are smaller than `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
