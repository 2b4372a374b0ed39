/** Reads hunks as language models write them: with wrong counts, without counts, without any numbers. */
import type { LooseHunk } from './file-operation.ts';
import {
  ADD_CONTEXT,
  checkLines,
  countedHeader,
  type HunkLine,
  hunkLine,
  isBare,
  markNoNewline,
  NO_MARK,
  readCountedLines,
} from './hunk.ts';
import { badPatch, type PatchReader, skipBlank } from './patch-reader.ts';

/** Whether a hunk without counts ends before a line. */
export type IsBoundary = (reader: PatchReader, at: number) => boolean;

export const END_OF_FILE = '*** End of File';

/**
 * Reads the hunk at the reader's line. Without a header it states no line. Several consecutive headers with headings
 * belong to one hunk: `@@ class A`, `@@ method()`.
 */
export function readLooseHunk(reader: PatchReader, isBoundary: IsBoundary): LooseHunk {
  const from = reader.at;
  const headings: string[] = [];
  let stated: number | undefined;
  let newStart: number | undefined;
  let lines: HunkLine[] | undefined;
  while (reader.at < reader.end && reader.lines[reader.at]!.startsWith('@@')) {
    const line = reader.lines[reader.at++]!;
    const counted = countedHeader(line);
    stated = counted?.oldStart ?? looseNumber(line);
    if (stated === undefined) headings.push(...headingIn(line));
    if (counted === undefined) continue;
    lines = readCountedLines(reader, counted);
    if (lines !== undefined) newStart = counted.newStart;
    break;
  }
  lines ??= readUncountedLines(reader, isBoundary);
  const endsFile = reader.at < reader.end && reader.lines[reader.at]!.trimEnd() === END_OF_FILE;
  if (endsFile) reader.at++;
  skipBlank(reader);
  checkLines(lines, from);
  requireOldLines(lines, stated, reader.lines[from]!, from);
  return { line: from + 1, stated, newStart, headings, endsFile, lines };
}

/** The line in a header without counts, as in `@@ -12 @@`. */
function looseNumber(header: string): number | undefined {
  const number = /^@@+ *-(\d{1,15})\b/.exec(header)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The heading in a header; `@@`, `@@ @@` and `@@ ... @@` have none. */
function headingIn(header: string): string[] {
  const heading = header
    .replace(/^@@+/, '')
    .replace(/(?<!@)@@+\s*$/, '')
    .trim();
  return /^[.\u2026\s]*$/.test(heading) ? [] : [heading];
}

/** Bare lines at the end belong to the patch and not to the hunk, unless the hunk ends the file. */
function readUncountedLines(reader: PatchReader, isBoundary: IsBoundary): HunkLine[] {
  const lines: HunkLine[] = [];
  let bare = 0;
  for (; reader.at < reader.end && !isBoundary(reader, reader.at); reader.at++) {
    const line = reader.lines[reader.at]!;
    if (line.startsWith('\\')) {
      markNoNewline(lines, reader.at);
      continue;
    }
    const read = hunkLine(line);
    if (read === undefined) break;
    bare = isBare(line) ? bare + 1 : 0;
    lines.push(read);
  }
  refuseStray(reader, isBoundary);
  const endsFile = reader.lines[reader.at]?.trimEnd() === END_OF_FILE && reader.at < reader.end;
  return endsFile ? lines : lines.slice(0, lines.length - bare);
}

/** A line without a mark ends a hunk. It is refused if the hunk continues after it: then it belongs to the hunk. */
function refuseStray(reader: PatchReader, isBoundary: IsBoundary): void {
  const { lines, at, end } = reader;
  if (at >= end || isBoundary(reader, at)) return;
  let next = at + 1;
  while (next < end && isBare(lines[next]!)) next++;
  if (next >= end || isBoundary(reader, next) || !/^[-+]/.test(lines[next]!)) return;
  badPatch(NO_MARK, at);
}

/** If a header counts old lines and none follow, it is unclear where the new ones go. */
function requireOldLines(
  lines: readonly HunkLine[],
  stated: number | undefined,
  header: string,
  at: number,
): void {
  if (stated === undefined || lines.some(({ mark }) => mark !== '+')) return;
  const counted = countedHeader(header);
  if (counted?.oldCount === 0) return;
  badPatch(`the hunk only adds lines, but its header states old ones: ${ADD_CONTEXT}`, at);
}
