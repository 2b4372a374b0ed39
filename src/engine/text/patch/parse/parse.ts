/** Reads a unified diff of one file, as tools print it and as people and language models write it. */
import { DEV_NULL } from './file-names.ts';
import { type Hunk, isHunkHeader, readHunk } from './hunk.ts';
import {
  BINARY,
  badPatch,
  dropCarriageReturns,
  isNamePair,
  linesOfPatch,
  type PatchReader,
  skipBlank,
} from './patch-reader.ts';

export type { Hunk, HunkLine } from './hunk.ts';

export interface ParsedPatch {
  /** `create` when the old name is /dev/null, `delete` when the new one is. */
  action: 'change' | 'create' | 'delete';
  /** The names in the patch, empty if it has none. They never choose the file. */
  oldName: string;
  newName: string;
  hunks: readonly Hunk[];
}

/**
 * Anything may surround the patch: a Markdown fence, prose, the headers of git or of a mail. The parser refuses what it
 * would otherwise drop silently: a second file, a hunk after the end, a hunk whose header counts wrongly.
 */
export function parsePatch(text: string): ParsedPatch {
  const lines = linesOfPatch(text);
  const reader = { lines, ...fencedPart(lines) };
  const names = readNames(reader);
  const hunks: Hunk[] = [];
  while (atHunk(reader)) hunks.push(readHunk(reader));
  expectNoMore(reader);
  return { action: actionOf(names, hunks), oldName: names.old, newName: names.new, hunks };
}

/** The part inside the outermost fence, or all lines. A line of a diff never begins with a fence. */
function fencedPart(lines: readonly string[]): { at: number; end: number } {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (/^(diff --git |--- |@@)/.test(line)) break;
    const fence = /^(`{3,}|~{3,}(?!~))[^`]*$/.exec(line)?.[1];
    if (fence === undefined) continue;
    const end = closingFence(lines, at + 1, fence);
    for (let inside = at + 1; inside < end; inside++) {
      if (lines[inside]!.startsWith('@@')) return { at: at + 1, end };
    }
    at = end;
  }
  return { at: 0, end: lines.length };
}

function closingFence(lines: readonly string[], from: number, opening: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!.trimEnd();
    if (line.startsWith(opening) && line === opening[0]!.repeat(line.length)) return at;
  }
  return lines.length;
}

interface HeaderNames {
  old: string;
  new: string;
  at: number;
}

/** Finds the `---` and `+++` lines, or the first hunk of a patch without them, and stops at the first hunk. */
function readNames(reader: PatchReader): HeaderNames {
  const { lines, end } = reader;
  const from = reader.at;
  let gitFiles = 0;
  for (; reader.at < end && !isNamePair(lines, reader.at, end); reader.at++) {
    const line = lines[reader.at]!;
    if (line.startsWith('diff --git ') && ++gitFiles > 1) secondFile(line.slice(11), reader.at);
    if (line.startsWith('@@')) return withoutNames(reader);
  }
  if (reader.at >= end) return namesByMode(lines, from);
  if (lines[reader.at]!.endsWith('\r')) dropCarriageReturns(lines, reader.at);
  const names = { old: nameIn(lines[reader.at]!), new: nameIn(lines[reader.at + 1]!), at: reader.at };
  reader.at += 2;
  skipBlank(reader);
  if (!atHunk(reader) && names.old !== DEV_NULL && names.new !== DEV_NULL) {
    badPatch(
      "the patch has no hunks: a line like '@@ -1,3 +1,4 @@' must follow the '+++' line",
      reader.at - 1,
    );
  }
  return names;
}

/** For an empty file, git prints no hunks and no names, only the mode of the file. */
function namesByMode(lines: readonly string[], from: number): HeaderNames {
  const has = (header: RegExp) => lines.some((line) => header.test(line));
  const created = has(/^new file mode \d+\s*$/);
  const deleted = has(/^deleted file mode \d+\s*$/);
  if (created === deleted || has(BINARY)) badPatch(whyNoHunks(lines), from);
  return { old: created ? DEV_NULL : '', new: deleted ? DEV_NULL : '', at: from };
}

/** The call names the file, so a patch without names can still be applied. */
function withoutNames(reader: PatchReader): HeaderNames {
  const { lines, at, end } = reader;
  if (/^(---|\+\+\+) /.test(lines[at - 1] ?? '')) {
    badPatch(
      "a '--- old' line and directly after it a '+++ new' line must come before the first hunk",
      at - 1,
    );
  }
  if (lines.slice(at, end).every((line) => line.endsWith('\r'))) dropCarriageReturns(lines, at);
  return { old: '', new: '', at };
}

/** The name in a `---` or `+++` line; a time may follow it after a tab. */
function nameIn(line: string): string {
  return line.slice(4).split('\t', 1)[0]!.trim();
}

function whyNoHunks(lines: readonly string[]): string {
  if (lines.some((line) => BINARY.test(line))) {
    return 'the patch is of a binary file, and only text can be patched';
  }
  if (lines.some((line) => /^(rename|copy) from |^(old|new|deleted file|new file) mode /.test(line))) {
    return 'the patch has no hunks: a rename or a mode alone cannot be applied';
  }
  return "the patch has no hunks: '--- old', '+++ new' and a line like '@@ -1,3 +1,4 @@' begin one";
}

function secondFile(name: string, at: number): never {
  badPatch(`the patch has more than one file, and the second one is ${name.trim()}`, at);
}

function atHunk({ lines, at, end }: PatchReader): boolean {
  return at < end && lines[at]!.startsWith('@@');
}

/** Text may follow the patch, even after its fence, but no other change: it would be dropped. */
function expectNoMore({ lines, at: from }: PatchReader): void {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith('diff --git ')) secondFile(line.slice(11), at);
    if (isNamePair(lines, at, lines.length)) {
      const newName = nameIn(lines[at + 1]!);
      secondFile(newName === DEV_NULL ? nameIn(line) : newName, at);
    }
    if (isHunkHeader(line)) {
      badPatch(`a hunk begins here, but line ${from + 1} is not part of the patch and ended it`, at);
    }
  }
}

function actionOf(names: HeaderNames, hunks: readonly Hunk[]): ParsedPatch['action'] {
  if (names.old !== DEV_NULL && names.new !== DEV_NULL) return 'change';
  if (names.old === names.new) badPatch(`both names are ${DEV_NULL}`, names.at);
  const action = names.old === DEV_NULL ? 'create' : 'delete';
  const extra = hunks.some((hunk) => (action === 'create' ? hunk.oldCount : hunk.newCount) > 0);
  if (extra && action === 'create') badPatch("a new file can only have '+' lines", names.at);
  if (extra) badPatch("the deletion of a file can only have '-' lines", names.at);
  return action;
}
