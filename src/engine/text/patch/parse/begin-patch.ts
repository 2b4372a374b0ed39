/** Reads a patch in the format that begins with `*** Begin Patch`. */

import { addedContent } from '../new-content.ts';
import type { FileOperation, LooseHunk } from './file-operation.ts';
import { hunkLine, isBare, NO_MARK } from './hunk.ts';
import { END_OF_FILE, readLooseHunk } from './loose-hunk.ts';
import { badPatch, isNamePair, type PatchReader, skipBlank } from './patch-reader.ts';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const SECTION = /^\*\*\* (Add|Update|Delete) File: ?(.*)$/;
const MOVE = /^\*\*\* Move to: ?(.*)$/;

/** A diff may quote such a line, but then with a mark before it. */
export function isBeginPatch(line: string): boolean {
  return line.trimEnd() === BEGIN;
}

/**
 * Reads what is between `*** Begin Patch` and `*** End Patch`. Fences, a heredoc and prose may surround it. A patch
 * without its end is refused, because it may have been cut off. `readOther` reads a patch in another format inside.
 */
export function readBeginPatch(
  reader: PatchReader,
  readOther: (reader: PatchReader) => FileOperation[],
): FileOperation[] {
  const operations: FileOperation[] = [];
  for (let begin = nextBegin(reader, reader.at); begin >= 0; begin = nextBegin(reader, reader.at)) {
    const end = reader.lines.findIndex((line, at) => at > begin && line.trimEnd() === END);
    if (end < 0) badPatch(`the patch has no '${END}'`, reader.end - 1);
    const inside = { lines: reader.lines, at: begin + 1, end };
    skipBlank(inside);
    const isOther = inside.at < end && !inside.lines[inside.at]!.startsWith('*** ');
    operations.push(...(isOther ? readOther(inside) : readSections(inside)));
    reader.at = end + 1;
  }
  return operations;
}

function nextBegin({ lines, end }: PatchReader, from: number): number {
  return lines.findIndex((line, at) => at >= from && at < end && isBeginPatch(line));
}

function readSections(reader: PatchReader): FileOperation[] {
  const operations: FileOperation[] = [];
  while (reader.at < reader.end) {
    const line = reader.lines[reader.at]!;
    const section = SECTION.exec(line.trimEnd());
    if (section === null) {
      badPatch(`'*** Add File:', '*** Update File:' or '*** Delete File:' is expected here`, reader.at);
    }
    const path = section[2]!.trim();
    if (path === '') badPatch('the name of the file is empty', reader.at);
    reader.at++;
    if (section[1] === 'Add') operations.push({ kind: 'add', path, content: readContent(reader) });
    else if (section[1] === 'Delete') operations.push(readDeletion(reader, path));
    else operations.push(readUpdate(reader, path));
  }
  return operations;
}

function readDeletion(reader: PatchReader, path: string): FileOperation {
  skipBlank(reader);
  return { kind: 'delete', path, hunks: [], byLines: false };
}

function readContent(reader: PatchReader): string {
  const from = reader.at;
  while (reader.at < reader.end && !reader.lines[reader.at]!.startsWith('***')) reader.at++;
  const lines = reader.lines.slice(from, reader.at);
  if (reader.at < reader.end && reader.lines[reader.at]!.trimEnd() === END_OF_FILE) reader.at++;
  skipBlank(reader);
  while (lines.length > 0 && isBare(lines.at(-1)!)) lines.pop();
  const read = lines.map((line, index) => {
    const marked = hunkLine(line);
    if (marked === undefined || (marked.mark !== '+' && !isBare(line))) {
      return badPatch("each line of a new file begins with '+'", from + index);
    }
    return marked;
  });
  return addedContent([{ lines: read, line: from }]);
}

function readUpdate(reader: PatchReader, path: string): FileOperation {
  const at = reader.at - 1;
  skipBlank(reader);
  const move = reader.at < reader.end ? MOVE.exec(reader.lines[reader.at]!.trimEnd()) : null;
  const newPath = move?.[1]?.trim();
  if (newPath === '') badPatch('the new name of the file is empty', reader.at);
  if (newPath !== undefined) reader.at++;
  // Some language models add the names of a unified diff here.
  if (isNamePair(reader.lines, reader.at, reader.end)) reader.at += 2;
  const hunks: LooseHunk[] = [];
  skipBlank(reader);
  while (reader.at < reader.end && !isMarker(reader, reader.at)) hunks.push(readMarkedHunk(reader));
  if (newPath !== undefined && newPath !== path) return { kind: 'rename', path, newPath, hunks };
  if (hunks.length === 0) badPatch('the update has no hunks', at);
  return { kind: 'update', path, hunks };
}

function readMarkedHunk(reader: PatchReader): LooseHunk {
  const line = reader.lines[reader.at]!;
  if (!line.startsWith('@@') && !/^[-+ ]/.test(line)) {
    badPatch(NO_MARK, reader.at);
  }
  const from = reader.at;
  const hunk = readLooseHunk(reader, isBoundary);
  if (reader.at === from) badPatch('the hunk has no lines', from);
  return hunk;
}

function isBoundary(reader: PatchReader, at: number): boolean {
  return reader.lines[at]!.startsWith('@@') || isMarker(reader, at);
}

function isMarker({ lines }: PatchReader, at: number): boolean {
  const line = lines[at]!.trimEnd();
  return SECTION.test(line) || MOVE.test(line) || line === END_OF_FILE || line.startsWith('*** ');
}
