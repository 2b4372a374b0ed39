/** Reads one hunk of a unified diff: its header, and as many lines as the header counts. */
import { badPatch, isNamePair, type PatchReader, skipBlank } from './patch-reader.ts';

export interface Hunk {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
  lines: readonly HunkLine[];
}

export interface HunkLine {
  /** Whether the line is in both texts, only in the old one, or only in the new one. */
  mark: ' ' | '-' | '+';
  text: string;
  /** False if `\ No newline at end of file` follows. */
  newline: boolean;
}

type Header = Omit<Hunk, 'lines'>;

const HEADER = /^@@ -(\d{1,15})(?:,(\d{1,15}))? \+(\d{1,15})(?:,(\d{1,15}))? @@/;

/** What is wrong with a line that has no mark. */
export const NO_MARK = "each line of a hunk begins with ' ', '-' or '+', and this one does not";

/** What to do about new lines if it is unclear where they go. */
export const ADD_CONTEXT =
  "give a line of the file before or after them as context (' the line'), or say that there is none ('@@ -7,0 +8,2 @@' puts two lines after line 7)";

export function isHunkHeader(line: string): boolean {
  return HEADER.test(line);
}

/** Reads the hunk that begins at the reader's line, and the blank lines after it. */
export function readHunk(reader: PatchReader): Hunk {
  const headerAt = reader.at++;
  const header = readHeader(reader.lines[headerAt]!, headerAt);
  const lines = readCountedLines(reader, header);
  if (lines === undefined) wrongCounts(reader, headerAt, header);
  checkLines(lines, headerAt);
  skipBlank(reader);
  return { ...header, lines };
}

/** Reads as many lines as the header counts. If more or fewer follow, reads nothing and returns undefined. */
export function readCountedLines(
  reader: PatchReader,
  { oldCount, newCount }: Pick<Header, 'oldCount' | 'newCount'>,
): HunkLine[] | undefined {
  const from = reader.at;
  const lines: HunkLine[] = [];
  let oldLeft = oldCount;
  let newLeft = newCount;
  for (;;) {
    const line = reader.at < reader.end ? reader.lines[reader.at]! : undefined;
    if (line?.startsWith('\\')) {
      markNoNewline(lines, reader.at++);
      continue;
    }
    if (oldLeft === 0 && newLeft === 0) break;
    const read = line === undefined ? undefined : hunkLine(line);
    if (read !== undefined && read.mark !== '+') oldLeft--;
    if (read !== undefined && read.mark !== '-') newLeft--;
    if (read === undefined || oldLeft < 0 || newLeft < 0) {
      reader.at = from;
      return undefined;
    }
    lines.push(read);
    reader.at++;
  }
  if (!hasMoreLines(reader)) return lines;
  reader.at = from;
  return undefined;
}

function readHeader(line: string, at: number): Header {
  const header = countedHeader(line);
  if (header === undefined) {
    if (line.startsWith('@@@')) badPatch('a combined diff of more than two versions cannot be applied', at);
    badPatch(`a hunk header is like '@@ -1,3 +1,4 @@', and this one is '${line.trim().slice(0, 80)}'`, at);
  }
  return header;
}

/** The numbers in the header of a hunk; undefined for any other line. */
export function countedHeader(line: string): Header | undefined {
  const parts = HEADER.exec(line);
  if (parts === null) return undefined;
  return {
    oldStart: Number(parts[1]),
    oldCount: Number(parts[2] ?? 1),
    newStart: Number(parts[3]),
    newCount: Number(parts[4] ?? 1),
  };
}

/** A completely empty line is an empty line of context that lost its single space. */
export function hunkLine(line: string): HunkLine | undefined {
  if (isBare(line)) return { mark: ' ', text: line, newline: true };
  const mark = line[0];
  if (mark !== ' ' && mark !== '-' && mark !== '+') return undefined;
  return { mark, text: line.slice(1), newline: true };
}

export function isBare(line: string): boolean {
  return line === '' || line === '\r';
}

export function markNoNewline(lines: HunkLine[], at: number): void {
  const last = lines.pop();
  if (last === undefined) badPatch("a line that begins with '\\' comes before the first line of a hunk", at);
  lines.push({ ...last, newline: false });
}

/** Whether more lines of the hunk follow after all that its header counts. */
function hasMoreLines({ lines, at, end }: PatchReader): boolean {
  while (at < end && isBare(lines[at]!)) at++;
  if (at >= end || isNamePair(lines, at, end) || isSignature(lines, at, end)) return false;
  return hunkLine(lines[at]!) !== undefined;
}

/** A mailed patch ends with a line of two dashes and the version of the program that made it. */
export function isSignature(lines: readonly string[], at: number, end: number): boolean {
  if (lines[at]!.trimEnd() !== '--') return false;
  let written = 0;
  for (let after = at + 1; after < end && written < 2; after++) {
    if (lines[after]!.trim() !== '') written++;
  }
  return written < 2;
}

export function checkLines(lines: readonly HunkLine[], headerAt: number): void {
  if (lines.every((line) => line.mark === ' ')) badPatch('the hunk changes nothing', headerAt);
  let oldEnded = false;
  let newEnded = false;
  for (const { mark, newline } of lines) {
    if ((oldEnded && mark !== '+') || (newEnded && mark !== '-')) {
      badPatch("'\\ No newline at end of file' comes before the last line of the hunk", headerAt);
    }
    if (newline) continue;
    // Lines may be added after a line of context without a newline, which then gets one.
    if (mark === '+') newEnded = true;
    else oldEnded = true;
  }
}

function wrongCounts({ lines, end }: PatchReader, headerAt: number, header: Header): never {
  let oldCount = 0;
  let newCount = 0;
  let bare = 0;
  let at = headerAt + 1;
  for (; at < end && !isNamePair(lines, at, end) && !isSignature(lines, at, end); at++) {
    const line = lines[at]!;
    if (line.startsWith('\\')) continue;
    const read = hunkLine(line);
    if (read === undefined) break;
    if (isBare(line)) {
      bare++;
      continue;
    }
    // Empty lines count only if the hunk continues after them.
    oldCount += bare + (read.mark === '+' ? 0 : 1);
    newCount += bare + (read.mark === '-' ? 0 : 1);
    bare = 0;
  }
  const stray = at < end && !/^(@@|diff |--- |-- ?$|```|~~~)/.test(lines[at]!);
  badPatch(
    `the hunk header counts ${header.oldCount} old and ${header.newCount} new lines, ` +
      `but ${oldCount} old and ${newCount} new lines follow` +
      (oldCount === 0 && header.oldCount > 0 && newCount > 0
        ? `: the hunk only adds lines; ${ADD_CONTEXT}`
        : '') +
      (stray ? `; line ${at + 1} begins with none of ' ', '-' and '+'` : ''),
    headerAt,
  );
}
