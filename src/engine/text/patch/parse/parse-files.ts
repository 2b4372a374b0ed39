/** Reads a patch of one or more files, in either of two formats, into one list of operations. */
import { isBeginPatch, readBeginPatch } from './begin-patch.ts';
import type { FileOperation } from './file-operation.ts';
import { badPatch, dropCarriageReturns, linesOfPatch } from './patch-reader.ts';
import { readUnifiedFiles } from './unified-files.ts';

/** Fails with `bad-patch` and the line of the patch that cannot be read. It never drops a change silently. */
export function parseFilePatch(text: string): FileOperation[] {
  const lines = linesOfPatch(text);
  const first = lines.find((line) => FIRST_LINE.test(line)) ?? '';
  if (first.endsWith('\r')) dropCarriageReturns(lines, 0);
  const reader = { lines, at: 0, end: lines.length };
  const operations = isBeginPatch(first)
    ? readBeginPatch(reader, readUnifiedFiles)
    : readUnifiedFiles(reader);
  if (operations.length === 0) {
    badPatch("the patch names no file: it begins with '*** Begin Patch', or with '--- old' and '+++ new'", 0);
  }
  return operations;
}

/** The first such line shows which of the two formats a patch has. */
const FIRST_LINE = /^(diff --git |--- \S|\*\*\* Begin Patch\s*$)/;
