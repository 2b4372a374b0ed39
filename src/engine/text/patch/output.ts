/** Builds the patched text: unchanged stretches of the old one, and the lines that hunks add. */
import { endingAt, lineCount, type TextLines } from '../diff/text-lines.ts';
import { type Part, textOfParts } from '../edit/parts.ts';
import { type LineEnding, withoutReturn } from '../line-endings.ts';
import type { HunkLine } from './parse/hunk.ts';
import { contextOf, type HunkBody } from './place.ts';

/**
 * How the lines of a patch end. A patch in one style says nothing about line endings: it matches lines of both styles,
 * and what it adds gets the endings of the file. A patch in both styles may change endings, so it is taken literally.
 */
export type Endings = LineEnding | 'both';

export function endingsOf(hunks: readonly HunkBody[]): Endings {
  let crlf = false;
  let lf = false;
  for (const hunk of hunks) {
    for (const { text, newline } of hunk.lines) {
      if (!newline) continue;
      if (text.endsWith('\r')) crlf = true;
      else lf = true;
    }
  }
  if (crlf && lf) return 'both';
  return crlf ? '\r\n' : '\n';
}

export class Output {
  /** How many of the old lines have been written or dropped. */
  done = 0;
  readonly #lines: TextLines;
  readonly #endings: Endings;
  readonly #parts: Part[] = [];
  #endsLine: boolean | undefined;

  constructor(lines: TextLines, endings: Endings) {
    this.#lines = lines;
    this.#endings = endings;
  }

  /** Does not write the context after the last change: the next hunk may share it. */
  write(hunk: HunkBody, place: number): void {
    this.#keepUntil(place);
    let removed = 0;
    let added = 0;
    for (const line of hunk.lines.slice(0, hunk.lines.length - contextOf(hunk).after)) {
      if (line.mark === '+') {
        // A line that replaces another one takes its line ending.
        this.#add(line, added < removed ? this.done - removed + added : this.done - 1);
        added++;
        continue;
      }
      if (line.mark === '-') {
        this.done++;
        removed++;
        continue;
      }
      this.#keepUntil(this.done + 1);
      removed = 0;
      added = 0;
    }
  }

  finish(): string {
    return textOfParts(this.#lines.text, this.finishedParts());
  }

  /** The new text as parts that are kept or new. */
  finishedParts(): Part[] {
    this.#keepUntil(lineCount(this.#lines));
    return this.#parts;
  }

  #keepUntil(line: number): void {
    const { text, starts } = this.#lines;
    if (line > this.done) {
      const [from, to] = [starts[this.done]!, starts[line]!];
      this.#parts.push({ from, to });
      this.#endsLine = text[to - 1] === '\n';
    }
    this.done = line;
  }

  #add({ text, newline }: HunkLine, like: number): void {
    const ending = this.#endingLike(like);
    if (this.#endsLine === false) this.#parts.push({ text: ending });
    if (!newline) this.#parts.push({ text });
    else if (this.#endings === 'both') this.#parts.push({ text: `${text}\n` });
    else this.#parts.push({ text: withoutReturn(text) + ending });
    this.#endsLine = newline;
  }

  /** The ending of a line of the old text or, if it has none, of a neighbour. */
  #endingLike(line: number): LineEnding {
    for (const near of [line, line - 1, this.done]) {
      if (near < 0 || near >= lineCount(this.#lines)) continue;
      const ending = endingAt(this.#lines, near);
      if (ending !== undefined) return ending;
    }
    return this.#endings === '\r\n' ? '\r\n' : '\n';
  }
}
