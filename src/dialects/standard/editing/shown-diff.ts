/** Shows as much of a diff as an answer may hold. */

import { grouped } from '../../../display/grouped.ts';
import { truncateToBytes } from '../../../display/truncate-bytes.ts';
import { ITEMS_PER_CHECK, type Steps } from '../../../engine/index.ts';

export interface RestOfDiff {
  /** The most bytes that the answer may take. */
  bytes: number;
  /** The call that continues reading the changed file at a line; undefined where nothing was changed. */
  next: ((line: number) => string) | undefined;
}

/** The whole diff, or its first lines if it is too long. Long lines are then truncated. */
export function* shownDiff(
  diff: string,
  bytes: number,
  next: RestOfDiff['next'],
): Steps<{ hunks: string; note: string }> {
  const from = Math.max(0, diff.indexOf('@@'));
  // Each character takes at least one byte, except for carriage returns at line ends, which are not shown.
  const hunks = diff.length - from <= 2 * bytes ? wholeLines(diff, from) : undefined;
  if (hunks !== undefined && Buffer.byteLength(hunks) <= bytes) return { hunks, note: '' };
  const shown: string[] = [];
  let room = bytes;
  let line = 1;
  let end = from;
  for (let at = from; at < diff.length; at = end) {
    end = endOfLine(diff, at);
    const each = shownLine(diff, at, end);
    const own = truncateToBytes(each, bytes >> 2);
    room -= Buffer.byteLength(own) + 1;
    if (room < 0) {
      end = at;
      break;
    }
    shown.push(own);
    line = lineAfter(line, each);
  }
  const all = shown.length + (yield* linesFrom(diff, end));
  const goesOn = next === undefined ? '' : `; ${next(line)}`;
  const what = `${grouped(shown.length)} of ${grouped(all)} lines of the diff`;
  return { hunks: `${shown.join('\n')}\n`, note: `[${what}${goesOn}]\n` };
}

function wholeLines(diff: string, from: number): string {
  const lines: string[] = [];
  for (let at = from, end = from; at < diff.length; at = end) {
    end = endOfLine(diff, at);
    lines.push(`${shownLine(diff, at, end)}\n`);
  }
  return lines.join('');
}

/** A line without its line end. A carriage return stays if the file ends right after it. */
function shownLine(diff: string, at: number, end: number): string {
  const line = diff.slice(at, diff[end - 1] === '\n' ? end - 1 : end);
  if (line.startsWith('@@ ')) return withCounts(withoutReturn(line));
  return diff.startsWith(NO_NEWLINE, end) ? line : withoutReturn(line);
}

const NO_NEWLINE = '\\ No newline';

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Writes counts of one too, as the official server does. */
function withCounts(header: string): string {
  return header.replace(/([-+]\d+) /g, '$1,1 ');
}

function endOfLine(text: string, at: number): number {
  return text.indexOf('\n', at) + 1 || text.length;
}

function* linesFrom(text: string, from: number): Steps<number> {
  let lines = 0;
  for (let at = from; at < text.length; at = endOfLine(text, at)) if (++lines % ITEMS_PER_CHECK === 0) yield;
  return lines;
}

/** The line of the new file that follows a line of the diff. */
function lineAfter(line: number, shown: string): number {
  const start = /^@@ -\S+ \+(\d+)/.exec(shown);
  if (start) return Number(start[1]);
  return /^[ +]/.test(shown) ? line + 1 : line;
}
