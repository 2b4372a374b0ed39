/**
 * Finds direction marks and invisible characters in a result, which can make it look like something else.
 *
 * Names and contents stay exact, because the next call needs them unchanged. A note shows what they hide.
 */
import { unicodeEscaped } from '../../display/plain-text.ts';
import { ITEMS_PER_CHECK, Yielder } from '../../engine/index.ts';
import type { ToolOutcome } from '../dialect.ts';

/** The flag of a region, such as Scotland's: a black flag with the region's code in tags. Nothing can hide in it. */
const FLAG = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}';
const BLACK_FLAG = '\u{1f3f4}';

/** Variation selectors choose how the character before them looks. A row of them can spell hidden text, as tags can. */
const SELECTORS = '\\ufe00-\\ufe0f';
const MORE_SELECTORS = '\\u{e0100}-\\u{e01ef}';
const MONGOLIAN_SELECTORS = '[\\u180b-\\u180d\\u180f]';
/** No selector may follow these. In ASCII only digits, # and * take one, and then begin an emoji. */
const WITHOUT_SELECTOR = `\\s!"$-)+-/:-~${SELECTORS}${MORE_SELECTORS}`;

/**
 * Direction marks, zero-width and invisible characters, and tags, which spell hidden text. It leaves alone joiners in
 * scripts that need them, the parts of an emoji, a variation selector after a character that can have one, and the
 * byte-order mark at the start of a text, even if that text is the content in a JSON answer. It matches whole flags so
 * that the search steps over them: looking back from each tag for its flag would take quadratic time.
 */
const HIDDEN = new RegExp(
  [
    FLAG,
    '[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}]',
    '[\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f]',
    '(?<=[!-~])[\\u200c\\u200d]|[\\u200c\\u200d](?=[!-~])',
    '(?<=[^\\n])(?<!"content": ?")\\ufeff',
    '[\\u{e0000}-\\u{e007f}]',
    `(?<![^${WITHOUT_SELECTOR}])[${SELECTORS}]`,
    `(?<!\\p{Script=Han})[${MORE_SELECTORS}]`,
    `(?<![\\u1800-\\u180a\\u1810-\\u18af])${MONGOLIAN_SELECTORS}`,
  ].join('|'),
  'gu',
);

/** A quick test that rules most texts out. */
const PERHAPS_HIDDEN = new RegExp(
  '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f' +
    '\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\ud834\\udb40]',
);

/** How many characters are searched between two checks of the clock. */
const PIECE = 64 * 1024;
/** How far a match may look beyond its piece: back to the JSON field name, ahead to the end of a flag. */
const BEFORE = 16;
const AFTER = 32;

const MOST_SHOWN = 5;
const MOST_COUNTED = 1000;
const AROUND = 60;

/** A note that shows such characters as escapes, with the text around them; undefined when there are none. */
export function noteHidden(outcome: ToolOutcome): string | undefined | Promise<string | undefined> {
  const texts: string[] = [];
  if ('error' in outcome) texts.push(outcome.error.message);
  else for (const item of outcome.result.content) if (item.type === 'text') texts.push(item.text);
  return texts.every(surelyShowsAll) ? undefined : noteFound(texts);
}

/** Whether a text is short and nothing in it could be hidden. */
function surelyShowsAll(text: string): boolean {
  return text.length <= PIECE && !mayHide(text);
}

/** Most texts are ASCII. Comparing the length in bytes recognises them in a tenth of the time. */
function mayHide(text: string): boolean {
  return Buffer.byteLength(text) !== text.length && PERHAPS_HIDDEN.test(text);
}

async function noteFound(texts: readonly string[]): Promise<string | undefined> {
  const found = new FoundCharacters();
  for (const text of texts) await lookThrough(text, found);
  return found.note();
}

class FoundCharacters {
  count = 0;
  readonly #places: string[] = [];

  /** Whether finding more would no longer change the note. */
  get isEnough(): boolean {
    return this.count > MOST_COUNTED;
  }

  get showsMore(): boolean {
    return this.#places.length < MOST_SHOWN;
  }

  show(place: string): void {
    this.#places.push(place);
  }

  note(): string | undefined {
    const { count } = this;
    if (count === 0) return undefined;
    const many = this.isEnough ? `more than ${MOST_COUNTED}` : `${count}`;
    const what =
      count === 1
        ? '1 direction mark or invisible character'
        : `${many} direction marks or invisible characters`;
    return `[note: ${what} in this answer, which may not be what it looks like: ${this.#places.join(', ')}]`;
  }
}

/** Searches piece by piece, so that other calls run meanwhile. A cancelled call still gets its note. */
async function lookThrough(text: string, found: FoundCharacters): Promise<void> {
  const yielder = new Yielder(undefined);
  const lines = new LineCount(text, yielder);
  let shownUpTo = -1;
  let from = 0;
  for (let at = 0; at < text.length && !found.isEnough; at += PIECE) {
    if (at > 0) await yielder.pause();
    const start = Math.max(0, at - BEFORE);
    const piece = text.slice(start, at + PIECE + AFTER);
    if (!mayHide(piece)) continue;
    for (const match of piece.matchAll(HIDDEN)) {
      const index = start + match.index;
      if (index >= at + PIECE || found.isEnough) break;
      // The search of the piece before has found this one already.
      if (index < Math.max(at, from)) continue;
      from = index + match[0].length;
      if (match[0].startsWith(BLACK_FLAG)) continue;
      found.count++;
      if (index < shownUpTo || !found.showsMore) continue;
      found.show(await placeOf(text, index, lines));
      shownUpTo = endOfExcerpt(text, index);
    }
  }
}

/** The text as a JSON string on one line, with every control and hidden character escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(/[\u007f-\u009f\u2028\u2029]/g, unicodeEscaped)
    .replace(HIDDEN, (found) => (found.startsWith(BLACK_FLAG) ? found : unicodeEscaped(found)));
}

async function placeOf(text: string, index: number, lines: LineCount): Promise<string> {
  const start = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - AROUND);
  const excerpt = quoted(text.slice(start, endOfExcerpt(text, index)));
  if (!text.includes('\n')) return excerpt;
  return `line ${await lines.numberAt(index)}: ${excerpt}`;
}

function endOfExcerpt(text: string, index: number): number {
  const lineEnd = text.indexOf('\n', index);
  return Math.min(lineEnd < 0 ? text.length : lineEnd, index + AROUND);
}

/** Finds line numbers of ascending positions, and counts each newline once. */
class LineCount {
  readonly #text: string;
  readonly #yielder: Yielder;
  #next = 0;
  #number = 1;

  constructor(text: string, yielder: Yielder) {
    this.#text = text;
    this.#yielder = yielder;
  }

  async numberAt(index: number): Promise<number> {
    for (let found = this.#newline(); found >= 0 && found < index; found = this.#newline()) {
      this.#next = found + 1;
      if (this.#number++ % ITEMS_PER_CHECK === 0) await this.#yielder.pause();
    }
    return this.#number;
  }

  #newline(): number {
    return this.#text.indexOf('\n', this.#next);
  }
}
