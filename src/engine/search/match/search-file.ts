/**
 * Searches the text of one file. The result is as if the RegExp were tried on every line; in fact it is tried only
 * on lines that the prefilter proposes.
 */

import type { Charset } from '../../charset/names.ts';
import { tidyLongText } from '../../heap.ts';
import { type Kernel, loadKernel } from '../../kernel/kernel.ts';
import type { MatcherSpec } from '../plan/plan.ts';
import type { FoundLine } from '../query.ts';
import { FileText, WINDOW_BYTES } from './file-text.ts';
import { LineCollector } from './line-collector.ts';
import { firstMatch, longMatch, type MatchInWindow, matchInBytes, nextCharacter } from './long-line.ts';

const NEWLINE = 0x0a;
/** In bytes. From longer lines the search decodes only parts, if that is enough. */
const LONG_LINE = 2048;
/** In bytes. The decoded text of such a line is enough garbage to be worth collecting. */
const VERY_LONG_LINE = 256 * 1024;
/** When this many candidates are on average no further apart than this many bytes, decode all lines at once. */
const MANY_CANDIDATES = 8;
const CLOSE_BYTES = 512;

export interface ContentOptions {
  contextLines: number;
  maxLineLength: number | undefined;
  countAll: boolean;
  /** Stops collecting the matches of a file when they have this many characters. Default: no limit. */
  maxCharacters?: number;
  /** How many matching lines to skip in each file: they are counted but not collected. Default 0. */
  skip?: number;
}

export interface FileOutcome {
  /** False for a binary file. */
  text: boolean;
  /** How many matching lines were found. */
  matches: number;
  /** As many of them, with their context, as were wanted and fit. */
  lines: FoundLine[];
  /** How many lines were too long to search. */
  longLines: number;
}

export class ContentSearch {
  readonly #kernel: Kernel;
  readonly #text: FileText;
  readonly #matcher: MatcherSpec;
  readonly #pattern: RegExp;
  readonly #collector: LineCollector;
  readonly #countAll: boolean;
  readonly #maxLineLength: number;
  readonly #skip: number;
  #matches = 0;
  #longLines = 0;

  constructor(kernel: Kernel, matcher: MatcherSpec, options: ContentOptions) {
    this.#kernel = kernel;
    this.#text = new FileText(kernel);
    this.#matcher = matcher;
    this.#pattern = new RegExp(matcher.source, matcher.flags);
    this.#collector = new LineCollector(kernel, options);
    this.#countAll = options.countAll;
    this.#maxLineLength = options.maxLineLength ?? Number.POSITIVE_INFINITY;
    this.#skip = options.skip ?? 0;
    if (matcher.prefilter) kernel.use(matcher.prefilter);
  }

  static kernel(): Kernel {
    return loadKernel(WINDOW_BYTES);
  }

  /**
   * `limit` is how many matching lines the caller wants; with 0 the search only counts them. `declared` is the encoding
   * to use if the file is not UTF-8.
   */
  search(fd: number, limit: number, declared?: Charset): FileOutcome {
    const text = this.#text;
    const collector = this.#collector;
    this.#matches = 0;
    this.#longLines = 0;
    collector.begin(limit);
    if (!text.open(fd, declared)) return { text: false, matches: 0, lines: [], longLines: 0 };
    let number = 1;
    while (text.start < text.end) {
      const stop = text.ended ? text.end : this.#kernel.memrchr(text.start, text.end, NEWLINE) + 1;
      if (stop === text.start) {
        if (text.widen()) continue;
        this.#longLines++;
        collector.skipped(number++, text.start, text.end);
        text.skipLine();
        continue;
      }
      collector.enter(text.start, stop);
      number = this.#searchWindow(text.start, stop, number);
      if (text.ended || this.#done()) {
        collector.finish();
        break;
      }
      collector.leave(number);
      text.advance(stop);
    }
    return { text: true, matches: this.#matches, lines: collector.lines, longLines: this.#longLines };
  }

  /** Where the bytes of the last file are in the kernel's memory, if they are all there. */
  get whole(): { start: number; end: number } | undefined {
    return this.#text.whole;
  }

  #done(): boolean {
    return this.#collector.full && !this.#collector.pending && !this.#countAll;
  }

  /** Searches [from, stop), whose first line has this number. Returns the number of the line at `stop`. */
  #searchWindow(from: number, stop: number, number: number): number {
    if (this.#collector.full && !this.#countAll) return number;
    if (this.#matcher.prefilter) return this.#searchCandidates(from, stop, number);
    this.#text.confirm();
    return this.#searchEveryLine(from, stop, number);
  }

  #searchCandidates(from: number, stop: number, number: number): number {
    const kernel = this.#kernel;
    const collector = this.#collector;
    const begin = from;
    let decoded: DecodedLines | undefined;
    for (let seen = 0; ; seen++) {
      if (collector.full && !this.#countAll) break;
      if (collector.full && this.#matcher.candidatesMatch) {
        this.#text.confirm();
        this.#matches += kernel.countLines(from, stop);
        break;
      }
      if (!kernel.nextLine(from, stop)) break;
      this.#text.confirm();
      const { lineStart, lineEnd } = kernel;
      number += kernel.linesBefore;
      if (this.#matcher.candidatesMatch && this.#matches < this.#skip) {
        this.#isSkipped(number++);
        from = lineEnd + 1;
        if (from >= stop) return number;
        continue;
      }
      const end = collector.textEnd(lineStart, lineEnd, stop);
      if (!this.#decideInParts(number, lineStart, lineEnd, end)) {
        if (seen === MANY_CANDIDATES && lineStart - begin < MANY_CANDIDATES * CLOSE_BYTES)
          decoded = new DecodedLines(kernel, lineStart, stop);
        this.#decide(lineText(kernel, decoded, lineStart, end), number, lineStart, lineEnd);
        if (end - lineStart > VERY_LONG_LINE) tidyLongText(end - lineStart);
      }
      number++;
      from = lineEnd + 1;
      if (from >= stop) return number;
    }
    // Only the next window needs the exact number.
    return this.#text.ended ? number : number + kernel.countByte(from, stop, NEWLINE);
  }

  /** Decides on a long line, and collects it, without decoding all of it. False if that is not possible. */
  #decideInParts(number: number, start: number, lineEnd: number, end: number): boolean {
    if (end - start <= LONG_LINE) return false;
    const showsPart = end - start > this.#maxLineLength * 16 || this.#collector.full;
    const found = unlessOutOfMemory(() => this.#firstMatch(start, end, showsPart));
    if (found === undefined || found === 'unsure') return false;
    if (found === 'none') return true;
    if (!showsPart) return false;
    if (this.#isSkipped(number) || this.#collector.full) return true;
    const { bytes } = this.#kernel;
    const enough = this.#maxLineLength * 4 + 64;
    const begin = found.start - enough > start ? nextCharacter(bytes, found.start - enough) : start;
    const before = bytes.toString('utf8', begin, found.start);
    const after = bytes.toString('utf8', found.end, Math.min(end, found.end + enough));
    const text = before + found.text + after;
    this.#collector.match(number, start, lineEnd, text, before.length + found.at, found.matched);
    return true;
  }

  #firstMatch(start: number, end: number, showsPart: boolean): MatchInWindow | 'none' | 'unsure' {
    const kernel = this.#kernel;
    const found = firstMatch(kernel, this.#pattern, this.#matcher, start, end);
    if (found !== 'unsure' || kernel.lineIsAscii || !this.#matcher.worksOnBytes || !showsPart) return found;
    // Nothing is shown of a line that is only counted.
    const length = this.#collector.full ? 0 : this.#maxLineLength;
    const begins = this.#matcher.beginsWithCandidate && !this.#matcher.bytesExamined;
    const far = begins && longMatch(kernel, this.#pattern, end, length);
    if (far) return far;
    if (end - start > VERY_LONG_LINE) tidyLongText(end - start);
    return matchInBytes(kernel, this.#pattern, begins ? kernel.candidate : start, end, length);
  }

  #decide(text: string, number: number, start: number, lineEnd: number): void {
    const found = this.#tryLine(text);
    if (found && !this.#isSkipped(number) && !this.#collector.full)
      this.#collector.match(number, start, lineEnd, text, found.index, found[0].length);
  }

  /** Counts a matching line. True if it is one that `skip` leaves out. */
  #isSkipped(number: number): boolean {
    if (++this.#matches > this.#skip) return false;
    this.#collector.pass(number);
    return true;
  }

  /** Tries the pattern on a line. A line on which it needs more memory than V8 has counts as too long to search. */
  #tryLine(line: string): RegExpExecArray | null {
    const found = unlessOutOfMemory(() => this.#pattern.exec(line));
    if (found === undefined) this.#longLines++;
    return found ?? null;
  }

  /** Searches without a prefilter: decodes the window as one string, and finds lines by `wholeText` or tries each. */
  #searchEveryLine(from: number, stop: number, first: number): number {
    const kernel = this.#kernel;
    let whole = this.#matcher.wholeText;
    const text = kernel.bytes.toString(kernel.nonAscii(from, stop) ? 'utf8' : 'latin1', from, stop);
    let number = first;
    let place = from;
    let placeNumber = first;
    for (let at = 0; at < text.length && !(this.#collector.full && !this.#countAll); ) {
      if (whole) {
        const line = nextLineWith(whole, text, at);
        if (line === 'none') break;
        // The pattern may still have enough memory for each single line.
        if (line === 'out of memory') whole = undefined;
        else {
          number += countNewlines(text, at, line);
          at = line;
        }
      }
      const newline = text.indexOf('\n', at);
      const lineEnd = newline < 0 ? text.length : newline;
      const returned = newline > at && text.charCodeAt(newline - 1) === 0x0d;
      const line = text.slice(at, returned ? lineEnd - 1 : lineEnd);
      const found = this.#tryLine(line);
      if (found) {
        place = skip(kernel, place, stop, number - placeNumber);
        placeNumber = number;
        this.#collect(found, line, number, place, stop);
      }
      at = lineEnd + 1;
      number++;
    }
    return this.#text.ended ? number : placeNumber + kernel.countByte(place, stop, NEWLINE);
  }

  #collect(found: RegExpExecArray, line: string, number: number, start: number, stop: number): void {
    if (this.#isSkipped(number) || this.#collector.full) return;
    const lineEnd = this.#kernel.memchr(start, stop, NEWLINE);
    this.#collector.match(number, start, lineEnd, line, found.index, found[0].length);
  }
}

/** The ASCII lines of a window as parts of one string. */
class DecodedLines {
  readonly from: number;
  readonly text: string | undefined;

  constructor(kernel: Kernel, from: number, stop: number) {
    this.from = from;
    this.text = kernel.nonAscii(from, stop) ? undefined : kernel.bytes.toString('latin1', from, stop);
  }
}

function lineText(kernel: Kernel, decoded: DecodedLines | undefined, start: number, end: number): string {
  if (decoded?.text !== undefined) return decoded.text.slice(start - decoded.from, end - decoded.from);
  return kernel.bytes.toString(kernel.lineIsAscii ? 'latin1' : 'utf8', start, end);
}

/** Where the next line begins, at or after `from`, in which the pattern finds something. */
function nextLineWith(pattern: RegExp, text: string, from: number): number | 'none' | 'out of memory' {
  pattern.lastIndex = from;
  const found = unlessOutOfMemory(() => pattern.exec(text));
  if (found === undefined) return 'out of memory';
  if (found === null) return 'none';
  const start = found.index === 0 ? 0 : text.lastIndexOf('\n', found.index - 1) + 1;
  return start < text.length ? start : 'none';
}

/** Undefined if V8 runs out of memory: it stores every place that it may backtrack to, and long texts have many. */
function unlessOutOfMemory<T>(search: () => T): T | undefined {
  try {
    return search();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function skip(kernel: Kernel, from: number, stop: number, lines: number): number {
  if (lines === 0) return from;
  const skipped = kernel.skipLines(from, stop, lines);
  return 'next' in skipped ? skipped.next : stop;
}
