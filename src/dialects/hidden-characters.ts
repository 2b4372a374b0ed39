/**
 * Finds characters in an answer that make it look like another: direction marks and invisible ones.
 *
 * Names and contents stay exact, because the next call needs them as they are; a note shows what is in them.
 */
import type { Told } from './dialect.ts';

/**
 * Direction marks, zero-width and invisible characters, and tags, which spell hidden text. Left alone: what joins
 * letters of scripts that need it, what makes up an emoji, and the byte-order mark at the start of a text.
 */
const HIDDEN =
  /[\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f]|(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])|(?<=[^\n])\ufeff|(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0000}-\u{e007f}]/gu;

/** Finds out quickly that a text has none. */
const PERHAPS_HIDDEN = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\udb40]/;

const MOST_SHOWN = 5;
const MOST_COUNTED = 1000;
const AROUND = 60;

/** A note that shows such characters as escapes, with what stands around them; nothing when there are none. */
export function noteHidden(told: Told): string | undefined {
  const texts =
    'error' in told
      ? [told.error.message]
      : told.answer.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const places: string[] = [];
  let count = 0;
  for (const text of texts) {
    if (!PERHAPS_HIDDEN.test(text)) continue;
    let shownUpTo = -1;
    for (const { index } of text.matchAll(HIDDEN)) {
      count++;
      if (count > MOST_COUNTED) break;
      if (index < shownUpTo || places.length === MOST_SHOWN) continue;
      places.push(placeOf(text, index));
      shownUpTo = endOfExcerpt(text, index);
    }
  }
  if (count === 0) return undefined;
  const many = count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${count}`;
  const what =
    count === 1
      ? '1 direction mark or invisible character'
      : `${many} direction marks or invisible characters`;
  return `[note: ${what} in this answer, which may not be what it looks like: ${places.join(', ')}]`;
}

/** A text as a JSON string in which nothing acts, hides or breaks the line. */
export function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(/[\u007f-\u009f\u2028\u2029]/g, unicodeEscape)
    .replace(HIDDEN, unicodeEscape);
}

function placeOf(text: string, index: number): string {
  const start = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - AROUND);
  const excerpt = quoted(text.slice(start, endOfExcerpt(text, index)));
  if (!text.includes('\n')) return excerpt;
  return `line ${text.slice(0, index).split('\n').length}: ${excerpt}`;
}

function endOfExcerpt(text: string, index: number): number {
  const lineEnd = text.indexOf('\n', index);
  return Math.min(lineEnd < 0 ? text.length : lineEnd, index + AROUND);
}

function unicodeEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
