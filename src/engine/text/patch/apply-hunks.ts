/**
 * Applies hunks that may lack parts of a proper unified diff.
 *
 * Line ends and trailing blanks do not count; everything else in the context does. A hunk that states a line is tried
 * there, moved by as much as the hunk before it. Next it is tried where it and all later hunks are moved alike, and
 * then at the nearest place where its old lines occur. A hunk that states no line must fit in exactly one place. So
 * must one whose header cannot come from a comparison of files, because its line is a guess. No hunk touches a line
 * that another one has changed.
 */
import { fail } from '../../failures.ts';
import { lineAt, lineCount, linesBetween, type TextLines } from '../diff/text-lines.ts';
import { type Part, textOfParts, withoutLastCharacters } from '../edit/parts.ts';
import { bestWindow } from '../edit/tolerant/closest-place.ts';
import { BOM } from '../encoding.ts';
import { withoutLastEnding } from '../line-endings.ts';
import { hunkMismatch, matchesTwice } from './mismatch.ts';
import { endingsOf, Output } from './output.ts';
import type { LooseHunk } from './parse/file-operation.ts';
import { ADD_CONTEXT, type HunkLine } from './parse/hunk.ts';
import { badPatch } from './parse/patch-reader.ts';
import { contextOf, type HunkBody, type PatchedLines, patchedLines } from './place.ts';

/**
 * Returns the parts of the new text. `whole` is the text with its byte-order mark, which stays unless a hunk shows it;
 * `path` is for failures.
 */
export function applyHunks(whole: string, hunks: readonly LooseHunk[], path: string): Part[] {
  const showsMark = hunks.some(({ lines }) => lines.some(({ text }) => text.startsWith(BOM)));
  const mark = whole.startsWith(BOM) && !showsMark ? BOM : '';
  const text = whole.slice(mark.length);
  const lines = linesBetween(text, 0, text.length);
  const search = new HunkSearch(lines, hunks, path);
  const changes = hunks.flatMap((hunk, index) => changesOf(hunk, search.place(hunk, index + 1)));
  // Lines that are inserted before a line come before those that replace the line.
  changes.sort((a, b) => a.at - b.at || Number(a.removes) - Number(b.removes));
  const output = new Output(lines, endingsOf(hunks));
  for (const change of changes) output.write(change, change.at);
  const parts = output.finishedParts();
  // A file without a final newline gets one only if a hunk has the remark about it.
  const isSilent = hunks.every((hunk) => hunk.lines.every(({ newline }) => newline));
  const stayedOpen = isSilent && text !== '' && !text.endsWith('\n');
  const kept = stayedOpen ? withoutLastCharacters(parts, lastEndingOf(text, parts)) : parts;
  return mark === '' ? kept : [{ from: 0, to: 1 }, ...kept.map(behindMark)];
}

/** The length of the last line end. */
function lastEndingOf(text: string, parts: readonly Part[]): number {
  const result = textOfParts(text, parts);
  return result.length - withoutLastEnding(result).length;
}

function behindMark(part: Part): Part {
  return 'text' in part ? part : { from: part.from + 1, to: part.to + 1 };
}

/** Consecutive lines of a hunk that change something, without context between them. */
interface HunkChange extends HunkBody {
  at: number;
  removes: boolean;
  lines: HunkLine[];
}

/** Splits a hunk into its changes: hunks may overlap in their context, but their changes never do. */
function changesOf(hunk: LooseHunk, place: number): HunkChange[] {
  const changes: HunkChange[] = [];
  let at = place;
  let current: HunkChange | undefined;
  for (const line of hunk.lines) {
    if (line.mark === ' ') current = undefined;
    else if (current === undefined) {
      current = { at, removes: false, lines: [] };
      changes.push(current);
    }
    current?.lines.push(line);
    if (current !== undefined && line.mark === '-') current.removes = true;
    if (line.mark !== '+') at++;
  }
  return changes;
}

/** A hunk to be found. */
interface Sought {
  hunk: LooseHunk;
  /** The number of the hunk, counted from 1. */
  number: number;
  keys: readonly string[];
  endsFile: boolean;
}

/** Lines that occur in more places than this say little about where a hunk belongs. */
const MOST_SHIFTS = 100;

class HunkSearch {
  readonly #lines: TextLines;
  readonly #hunks: readonly LooseHunk[];
  readonly #text: PatchedLines;
  readonly #path: string;
  /** 1 for each line that a hunk has changed. */
  readonly #changed: Uint8Array;
  /** How far the last hunk with a stated line was from that line, and where its last change ends. */
  #moved = 0;
  #from = 0;
  /** How many lines the earlier hunks add to the file. */
  #added = 0;

  constructor(lines: TextLines, hunks: readonly LooseHunk[], path: string) {
    this.#lines = lines;
    this.#hunks = hunks;
    this.#text = patchedLines(lines, looseKey);
    this.#path = path;
    this.#changed = new Uint8Array(lineCount(lines));
  }

  /** The line, counted from 0, at which a hunk applies. */
  place(hunk: LooseHunk, number: number): number {
    const sought = { hunk, number, ...soughtOf(hunk) };
    const place = sought.keys.length === 0 ? this.#placeInsertion(sought) : this.#placeBlock(sought);
    this.#markChanged(sought, place);
    return place;
  }

  #placeBlock(sought: Sought): number {
    const { stated } = sought.hunk;
    if (stated === undefined)
      return this.#onlyPlace(sought, this.#underHeadings(sought, this.#places(sought)));
    const expected = Math.max(0, stated - 1) + this.#moved;
    if (this.#fits(sought, expected)) return expected;
    const places = this.#places(sought).filter((place) => place >= this.#from);
    if (!this.#isMeasured(sought.hunk, stated)) return this.#onlyPlace(sought, places);
    const together = this.#movedWithOthers(sought, places, stated);
    if (together.length === 1) return together[0]!;
    const least = places.reduce((least, place) => Math.min(least, Math.abs(place - expected)), Infinity);
    return this.#onlyPlace(
      sought,
      places.filter((place) => Math.abs(place - expected) === least),
    );
  }

  /** The places from which all later hunks are as far away as they state: what moved one hunk moved the others. */
  #movedWithOthers({ number }: Sought, places: readonly number[], stated: number): number[] {
    const others = this.#hunks.slice(number).filter((hunk) => hunk.stated !== undefined);
    if (others.length === 0 || places.length > MOST_SHIFTS) return [];
    return places.filter((place) =>
      others.every((hunk) => {
        const moved = Math.max(0, hunk.stated! - 1) + place - (stated - 1);
        const sought = { hunk, number, ...soughtOf(hunk) };
        return sought.keys.length > 0 && this.#fits(sought, moved);
      }),
    );
  }

  /** Whether the numbers of a header agree with its lines and with the earlier hunks, as if a program wrote them. */
  #isMeasured({ newStart, lines }: LooseHunk, stated: number): boolean {
    if (newStart === undefined) return false;
    // If the hunk leaves no line, its header states the line before.
    const first = lines.every(({ mark }) => mark === '-') ? newStart + 1 : newStart;
    return first - stated === this.#added;
  }

  /** Returns the only place or, of several, the only one where all old lines match exactly; otherwise fails. */
  #onlyPlace(sought: Sought, places: readonly number[]): number {
    const [first, second] = places;
    if (first === undefined) return this.#mismatch(sought);
    if (second === undefined) return first;
    const literal = places.filter((place) => this.#matchesExactly(sought, place));
    if (literal.length === 1) return literal[0]!;
    return fail({ ...matchesTwice(sought, [first, second]), path: this.#path, hunk: sought.number });
  }

  #places(sought: Sought): number[] {
    return this.#text
      .index()
      .placesOf(sought.keys)
      .filter((place) => this.#fits(sought, place));
  }

  #fits({ hunk, keys, endsFile }: Sought, place: number): boolean {
    const end = place + keys.length;
    if (place < 0 || end > this.#text.count || (endsFile && end < this.#text.count)) return false;
    if (hunk.stated !== undefined && place < this.#from) return false;
    return keys.every(
      (key, index) => this.#changed[place + index] === 0 && this.#text.keyAt(place + index) === key,
    );
  }

  #matchesExactly({ hunk }: Sought, place: number): boolean {
    const old = hunk.lines.filter(({ mark }) => mark !== '+');
    return old.every(({ text }, index) => lineAt(this.#lines, place + index).replace(/\n$/, '') === text);
  }

  /** The first place of the hunk below each occurrence of its last heading. */
  #underHeadings(sought: Sought, places: readonly number[]): number[] {
    const { headings } = sought.hunk;
    if (headings.length === 0) return [...places];
    const below = this.#belowHeadings(headings).map((line) => places.find((place) => place >= line));
    return [...new Set(below.filter((place) => place !== undefined))];
  }

  /** The lines after each occurrence of the last heading that is below the headings before it. */
  #belowHeadings(headings: readonly string[]): number[] {
    let from = 0;
    let found: number[] = [];
    for (const heading of headings) {
      found = linesLike(this.#text, heading).filter((line) => line >= from);
      if (found.length === 0) return [];
      from = found[0]! + 1;
    }
    return found.map((line) => line + 1);
  }

  /** Where to insert the lines of a hunk without old lines. */
  #placeInsertion(sought: Sought): number {
    const { hunk, endsFile } = sought;
    if (endsFile || this.#text.count === 0) return this.#text.count;
    if (hunk.headings.length > 0) return this.#onlyPlace(sought, this.#belowHeadings(hunk.headings));
    if (hunk.stated !== undefined) {
      return Math.max(this.#from, Math.min(hunk.stated + this.#moved, this.#text.count));
    }
    return badPatch(`the hunk only adds lines and states no place: ${ADD_CONTEXT}`, hunk.line - 1);
  }

  #markChanged({ hunk, keys }: Sought, place: number): void {
    this.#added += hunk.lines.filter(({ mark }) => mark !== '-').length - keys.length;
    const { before, after } = contextOf(hunk);
    const end = place + keys.length - after;
    this.#changed.fill(1, place + before, end);
    if (hunk.stated === undefined) return;
    if (keys.length > 0) this.#moved = place - Math.max(0, hunk.stated - 1);
    this.#from = Math.max(this.#from, end);
  }

  /** Fails with the place that has the most lines in common with the hunk. */
  #mismatch(sought: Sought): never {
    const { keys, number, hunk } = sought;
    const all = Array.from({ length: this.#text.count }, (_, line) => this.#text.keyAt(line));
    const stated = Math.max(0, (hunk.stated ?? 1) - 1 + this.#moved);
    const place = Math.max(0, bestWindow(all, keys)?.from ?? stated);
    const wanted = { hunk, keys, stated: place, from: 0 };
    const appliedAt = this.#appliedAt(hunk);
    return fail({ ...hunkMismatch(wanted, this.#text), path: this.#path, hunk: number, appliedAt });
  }

  /** The line, counted from 1, where the lines that the hunk would leave occur, if they occur in one place only. */
  #appliedAt({ lines }: LooseHunk): number | undefined {
    const left = lines.filter(({ mark }) => mark !== '-').map(({ text }) => looseKey(text));
    if (left.every((key) => key.trim() === '') || lines.every(({ mark }) => mark === ' ')) return undefined;
    const places = this.#text.index().placesOf(left);
    return places.length === 1 ? places[0]! + 1 : undefined;
  }
}

function soughtOf({ lines, endsFile }: LooseHunk): Pick<Sought, 'keys' | 'endsFile'> {
  const old = lines.filter(({ mark }) => mark !== '+');
  return {
    keys: old.map(({ text }) => looseKey(text)),
    endsFile: endsFile || lines.some(({ newline }) => !newline),
  };
}

/** The lines that equal a heading; if there are none, those that begin with it. */
function linesLike(text: PatchedLines, heading: string): number[] {
  const whole: number[] = [];
  const beginning: number[] = [];
  for (let line = 0; line < text.count; line++) {
    const key = text.keyAt(line).trim();
    if (key === heading) whole.push(line);
    else if (key.startsWith(heading)) beginning.push(line);
  }
  return whole.length > 0 ? whole : beginning;
}

/** A line without its line end and trailing blanks. */
function looseKey(line: string): string {
  let end = line.length;
  while (end > 0 && ' \t\r\n'.includes(line[end - 1]!)) end--;
  return line.slice(0, end);
}
