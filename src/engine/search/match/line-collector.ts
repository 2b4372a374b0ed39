/** Collects the matching lines of one file with the lines around them: each line once, in order. */

import type { Kernel } from '../../kernel/kernel.ts';
import { charactersOfLine, type FoundLine } from '../query.ts';
import type { ContentOptions } from './search-file.ts';
import { truncateAround } from './truncate-line.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export class LineCollector {
  lines: FoundLine[] = [];
  matches = 0;
  readonly #kernel: Kernel;
  readonly #context: number;
  readonly #maxLength: number;
  readonly #maxCharacters: number;
  #limit = 0;
  #characters = 0;
  #overflowed = false;
  /** Where the window begins and ends. It holds whole lines only. */
  #from = 0;
  #stop = 0;
  /** The line after the last collected one: its number, and its address if it is in this window. */
  #nextNumber = 1;
  #next = 0;
  /** How many lines are still to be collected as context after the last match. */
  #afterLeft = 0;
  /** The last lines before the window that may still become context. */
  #saved: FoundLine[] = [];

  constructor(kernel: Kernel, options: Omit<ContentOptions, 'countAll'>) {
    this.#kernel = kernel;
    this.#context = options.contextLines;
    this.#maxLength = options.maxLineLength ?? Number.POSITIVE_INFINITY;
    this.#maxCharacters = options.maxCharacters ?? Number.POSITIVE_INFINITY;
  }

  begin(limit: number): void {
    if (this.lines.length > 0) this.lines = [];
    this.matches = 0;
    this.#limit = limit;
    this.#characters = 0;
    this.#overflowed = false;
    this.#nextNumber = 1;
    this.#next = 0;
    this.#afterLeft = 0;
    if (this.#saved.length > 0) this.#saved = [];
  }

  /** Whether the caller wants no further matches, or the last match did not fit. */
  get full(): boolean {
    return this.matches >= this.#limit || this.#overflowed;
  }

  /** Whether the context after the last match is not complete yet. */
  get pending(): boolean {
    return this.#afterLeft > 0;
  }

  /** Where the text of a line ends: before its newline and a carriage return before that. `stop` ends the window. */
  textEnd(start: number, lineEnd: number, stop: number): number {
    const returned = lineEnd < stop && lineEnd > start && this.#kernel.bytes[lineEnd - 1] === RETURN;
    return returned ? lineEnd - 1 : lineEnd;
  }

  /** Begins a window. */
  enter(from: number, stop: number): void {
    this.#from = from;
    this.#stop = stop;
    this.#next = from;
  }

  /** Collects a matching line. `text` is the whole line; `at` is where the match begins, `matched` is its length. */
  match(number: number, start: number, lineEnd: number, text: string, at: number, matched: number): void {
    if (this.#characters >= this.#maxCharacters) {
      this.#overflowed = true;
      return;
    }
    if (this.#context > 0) {
      this.#addAfter(start);
      this.#addBefore(number, start);
      this.#next = lineEnd + 1;
      this.#afterLeft = this.#context;
    }
    this.#add({ number, text: truncateAround(text, at, matched, this.#maxLength), match: true });
    this.#nextNumber = number + 1;
    this.matches++;
  }

  /** Passes over a matching line that is not shown. The lines up to it are not context of a later match. */
  pass(number: number): void {
    this.#nextNumber = number + 1;
  }

  /** Collects the context after the window's last match. */
  finish(): void {
    this.#addAfter(this.#stop);
  }

  /** The same, and saves the last lines for the next window. `number` is the number of the line after them. */
  leave(number: number): void {
    if (this.#context === 0) return;
    this.finish();
    const starts = this.#startsBefore(this.#stop, this.#context);
    const first = number - starts.length;
    const recent = starts.map((start, index) => this.#contextLine(first + index, start));
    this.#saved = [...this.#saved, ...recent].slice(-this.#context);
  }

  /** Handles a line that was too long to search: its beginning can be context, like any other line. */
  skipped(number: number, start: number, end: number): void {
    if (this.#context === 0) return;
    const line = { number, text: this.#beginning(start, end), match: false };
    if (this.#afterLeft > 0) {
      this.#add(line);
      this.#afterLeft--;
      this.#nextNumber = number + 1;
    }
    this.#saved = [...this.#saved, line].slice(-this.#context);
  }

  #addAfter(limit: number): void {
    while (this.#afterLeft > 0 && this.#next < limit) {
      this.#add(this.#contextLine(this.#nextNumber, this.#next));
      this.#next = this.#kernel.memchr(this.#next, this.#stop, NEWLINE) + 1;
      this.#nextNumber++;
      this.#afterLeft--;
    }
  }

  #addBefore(number: number, start: number): void {
    const first = Math.max(number - this.#context, this.#nextNumber);
    const starts = this.#startsBefore(start, number - first);
    const firstHere = number - starts.length;
    for (const line of this.#saved) if (line.number >= first && line.number < firstHere) this.#add(line);
    starts.forEach((at, index) => {
      this.#add(this.#contextLine(firstHere + index, at));
    });
  }

  #add(line: FoundLine): void {
    this.lines.push(line);
    this.#characters += charactersOfLine(line);
  }

  /** The addresses of up to `count` lines of the window before the one that starts at `before`. */
  #startsBefore(before: number, count: number): number[] {
    const starts: number[] = [];
    for (let at = before; starts.length < count && at > this.#from; ) {
      at = this.#kernel.memrchr(this.#from, at - 1, NEWLINE) + 1;
      starts.push(at);
    }
    return starts.reverse();
  }

  #contextLine(number: number, start: number): FoundLine {
    const end = this.#kernel.memchr(start, this.#stop, NEWLINE);
    return { number, text: this.#beginning(start, this.textEnd(start, end, this.#stop)), match: false };
  }

  /** The beginning of a line. Decodes no more of a very long one than can be shown. */
  #beginning(start: number, end: number): string {
    const enough = this.#maxLength * 4 + 16;
    const text = this.#kernel.bytes.toString('utf8', start, Math.min(end, start + enough));
    return truncateAround(text, 0, 0, this.#maxLength);
  }
}
