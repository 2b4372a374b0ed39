/** Reads a unified diff of one file, as tools print it and as people and language models write it. */
import { BOM } from '../../encoding.ts';
import {
  badPatch,
  type Hunk,
  isHunkHeader,
  isNamePair,
  type PatchReader,
  readHunk,
  skipBlank,
} from './hunk.ts';

export type { Hunk, HunkLine } from './hunk.ts';

export interface ParsedPatch {
  /** `create` when the old name is /dev/null, `delete` when the new one is. */
  action: 'change' | 'create' | 'delete';
  /** The names as they stand in the patch, empty where it has none. They never choose the file. */
  oldName: string;
  newName: string;
  hunks: readonly Hunk[];
}

const NOWHERE = '/dev/null';
const BINARY = /^(GIT binary patch|Binary files .* differ)/;

/**
 * Anything may stand around the patch: a markdown fence, prose, the headers of git or of a mail. The parser refuses
 * what it would otherwise leave out silently: a second file, a hunk after the end, a hunk whose header counts wrongly.
 */
export function parsePatch(text: string): ParsedPatch {
  const lines = (text.startsWith(BOM) ? text.slice(1) : text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.every((line) => line.trim() === '')) badPatch('the patch is empty', 0);
  const reader = { lines, ...fencedPart(lines) };
  const names = readNames(reader);
  const hunks: Hunk[] = [];
  while (atHunk(reader)) hunks.push(readHunk(reader));
  expectNoMore(reader);
  return { action: actionOf(names, hunks), oldName: names.old, newName: names.new, hunks };
}

/** The part between the outermost fence, or all lines. A line of a diff never begins with a fence. */
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
  if (lines[reader.at]!.endsWith('\r')) dropCarriageReturns(reader);
  const names = { old: nameIn(lines[reader.at]!), new: nameIn(lines[reader.at + 1]!), at: reader.at };
  reader.at += 2;
  skipBlank(reader);
  if (!atHunk(reader) && names.old !== NOWHERE && names.new !== NOWHERE) {
    badPatch(
      "the patch has no hunks: a line like '@@ -1,3 +1,4 @@' must follow the '+++' line",
      reader.at - 1,
    );
  }
  return names;
}

/** An empty file has no hunks: then git names only the file's mode. */
function namesByMode(lines: readonly string[], from: number): HeaderNames {
  const has = (header: RegExp) => lines.some((line) => header.test(line));
  const created = has(/^new file mode \d+\s*$/);
  const deleted = has(/^deleted file mode \d+\s*$/);
  if (created === deleted || has(BINARY)) badPatch(whyNoHunks(lines), from);
  return { old: created ? NOWHERE : '', new: deleted ? NOWHERE : '', at: from };
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
  if (lines.slice(at, end).every((line) => line.endsWith('\r'))) dropCarriageReturns(reader);
  return { old: '', new: '', at };
}

/** When the patch's own lines end with `\r\n`, this says nothing about the file. */
function dropCarriageReturns({ lines, at }: PatchReader): void {
  for (let line = at; line < lines.length; line++) {
    if (lines[line]!.endsWith('\r')) lines[line] = lines[line]!.slice(0, -1);
  }
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

/** Text may follow the patch, also after its fence, but nothing that would be a change left out. */
function expectNoMore({ lines, at: from }: PatchReader): void {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith('diff --git ')) secondFile(line.slice(11), at);
    if (isNamePair(lines, at, lines.length)) {
      const newName = nameIn(lines[at + 1]!);
      secondFile(newName === NOWHERE ? nameIn(line) : newName, at);
    }
    if (isHunkHeader(line)) {
      badPatch(`a hunk begins here, but line ${from + 1} is not part of the patch and ended it`, at);
    }
  }
}

function actionOf(names: HeaderNames, hunks: readonly Hunk[]): ParsedPatch['action'] {
  if (names.old !== NOWHERE && names.new !== NOWHERE) return 'change';
  if (names.old === names.new) badPatch(`both names are ${NOWHERE}`, names.at);
  const action = names.old === NOWHERE ? 'create' : 'delete';
  const extra = hunks.some((hunk) => (action === 'create' ? hunk.oldCount : hunk.newCount) > 0);
  if (extra && action === 'create') badPatch("a new file can only have '+' lines", names.at);
  if (extra) badPatch("the deletion of a file can only have '-' lines", names.at);
  return action;
}
