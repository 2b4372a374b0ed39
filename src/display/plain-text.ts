/** Makes text from outside safe to show: no character acts, hides, or looks like another one. */

/**
 * Controls, formatting and direction marks, lone surrogates, unassigned characters, line separators, invisible
 * characters, and spaces that look like the usual one. The selector that only gives an emoji its colours stays.
 */
const INVISIBLE =
  /((?!(?<=\p{Extended_Pictographic})\ufe0f|\ufe0f\u20e3)(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800])/gu;

export function plain(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** The same in pieces: every second piece is the escape of an invisible character. */
export function plainPieces(text: string): string[] {
  return text.split(INVISIBLE).map((piece, at) => (at % 2 === 1 ? escaped(piece) : piece));
}

/** JSON of the value that is safe to show on a terminal. */
export function plainJson(value: unknown): string {
  // JSON.stringify writes these characters only inside strings, where an escape means the same.
  return JSON.stringify(value).replace(INVISIBLE, unicodeEscaped);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const NO_WIDTH = /\p{M}/u;

/** How many columns a text takes on a terminal. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** As much of a text as fits into the columns, with an ellipsis when something is left out. */
export function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let taken = '';
  let left = columns - 1;
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    taken += character;
  }
  return columns > 0 ? `${taken}…` : '';
}

function widthOf(character: string): number {
  if (character < '\u0300') return 1;
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0)!;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`;
}

/** The escapes of a character in JSON: one for each of its UTF-16 units. */
export function unicodeEscaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(
    '',
  );
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, '0');
}
