/** Reads a unified diff of several files, as git and diff print it and as language models write it. */

import { addedContent } from '../new-content.ts';
import { commonName, DEV_NULL, gitNames, headerName, type NamePair, renamedName } from './file-names.ts';
import type { FileOperation, LooseHunk } from './file-operation.ts';
import { isSignature } from './hunk.ts';
import { readLooseHunk } from './loose-hunk.ts';
import { BINARY, badPatch, isNamePair, type PatchReader, skipBlank } from './patch-reader.ts';

/** Prose, fences or the headers of a mail may come between the files, but no hunk without a file. */
export function readUnifiedFiles(reader: PatchReader): FileOperation[] {
  const operations: FileOperation[] = [];
  while (reader.at < reader.end) {
    if (isFileStart(reader, reader.at)) operations.push(readFile(reader));
    else if (reader.lines[reader.at]!.startsWith('@@')) badPatch(whyNoFile(operations), reader.at);
    else reader.at++;
  }
  return operations;
}

function whyNoFile(operations: readonly FileOperation[]): string {
  if (operations.length > 0)
    return 'a hunk begins here, but a line above it is not part of the patch and ended the file';
  return "the hunk has no file: '--- old' and directly after it '+++ new' must come before it";
}

function isFileStart({ lines, end }: PatchReader, at: number): boolean {
  return lines[at]!.startsWith('diff --git ') || isNamePair(lines, at, end);
}

interface Headers {
  at: number;
  /** The first header: `diff --git …` if the file has such a line. */
  line: string;
  git: NamePair | undefined;
  names: NamePair | undefined;
  fields: Map<string, string>;
}

const FIELD =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to) (.*)$/;

function readFile(reader: PatchReader): FileOperation {
  const headers = readHeaders(reader);
  const hunks: LooseHunk[] = [];
  while (atHunk(reader, headers, hunks)) hunks.push(readLooseHunk(reader, isBoundary));
  return operationOf(headers, hunks);
}

function readHeaders(reader: PatchReader): Headers {
  const { lines, end } = reader;
  const first = lines[reader.at]!;
  const isGit = first.startsWith('diff --git ');
  const headers: Headers = {
    at: reader.at,
    line: first,
    git: isGit ? gitNames(first) : undefined,
    names: undefined,
    fields: new Map(),
  };
  if (isGit) reader.at++;
  for (; reader.at < end && !lines[reader.at]!.startsWith('diff --git '); reader.at++) {
    const line = lines[reader.at]!;
    if (isNamePair(lines, reader.at, end)) {
      headers.names = { old: headerName(line), new: headerName(lines[reader.at + 1]!) };
      reader.at += 2;
      skipBlank(reader);
      break;
    }
    if (BINARY.test(line)) badPatch('the patch is of a binary file, and only text can be patched', reader.at);
    const field = FIELD.exec(line);
    if (field !== null) headers.fields.set(field[1]!, field[2]!);
    else if (!/^(index|similarity index|dissimilarity index) /.test(line)) break;
  }
  return headers;
}

/** Directly after the names, a hunk may begin without a header. */
function atHunk({ lines, at, end }: PatchReader, { names }: Headers, hunks: readonly LooseHunk[]): boolean {
  if (at >= end) return false;
  if (lines[at]!.startsWith('@@')) return true;
  return (
    names !== undefined && hunks.length === 0 && /^[-+ ]/.test(lines[at]!) && !isNamePair(lines, at, end)
  );
}

function isBoundary(reader: PatchReader, at: number): boolean {
  const { lines, end } = reader;
  return lines[at]!.startsWith('@@') || isFileStart(reader, at) || isSignature(lines, at, end);
}

function operationOf(headers: Headers, hunks: readonly LooseHunk[]): FileOperation {
  const { at, fields } = headers;
  if (fields.has('copy from')) badPatch('a patch cannot copy a file: add the new file instead', at);
  const renamed = renameOf(headers);
  const mode = modeOf(fields, at);
  if (renamed) return { kind: 'rename', ...renamed, hunks, mode };
  const { path, isNew, isGone } = fileOf(headers);
  if (isNew) return { kind: 'add', path, content: addedContent(hunks), mode };
  if (isGone) return { kind: 'delete', path, hunks: onlyRemoving(hunks), byLines: true };
  if (hunks.length === 0 && mode === undefined) {
    badPatch("the patch has no hunks for this file: a line like '@@ -1,3 +1,4 @@' begins one", at);
  }
  return { kind: 'update', path, hunks, mode };
}

function renameOf({ fields, line }: Headers): { path: string; newPath: string } | undefined {
  const path = fields.get('rename from');
  const newPath = fields.get('rename to');
  if (path === undefined || newPath === undefined) return undefined;
  return { path: renamedName(path, line), newPath: renamedName(newPath, line) };
}

function fileOf({ at, git, names, fields }: Headers) {
  const pair = names ?? git;
  if (pair === undefined) badPatch('the names of the file differ, and no line says which one is meant', at);
  const isNew = fields.has('new file mode') || pair.old === DEV_NULL;
  const isGone = fields.has('deleted file mode') || pair.new === DEV_NULL;
  if (isNew && isGone) badPatch(`both names are ${DEV_NULL}`, at);
  const path = commonName(pair, git);
  if (path === undefined) {
    badPatch(
      `the names ${pair.old} and ${pair.new} differ: 'rename from' and 'rename to' lines rename a file`,
      at,
    );
  }
  if (path === '') badPatch('the name of the file is empty', at);
  return { path, isNew, isGone };
}

function modeOf(fields: ReadonlyMap<string, string>, at: number): number | undefined {
  const written = (fields.get('new file mode') ?? fields.get('new mode'))?.trimEnd();
  if (written === undefined) return undefined;
  if (!/^100[0-7]{3}$/.test(written)) {
    badPatch(`the mode ${written} is not that of a regular file: links and submodules cannot be patched`, at);
  }
  return Number.parseInt(written.slice(3), 8);
}

function onlyRemoving(hunks: readonly LooseHunk[]): readonly LooseHunk[] {
  for (const { lines, line } of hunks) {
    if (lines.some(({ mark }) => mark !== '-')) {
      badPatch("the deletion of a file can only have '-' lines", line - 1);
    }
  }
  return hunks;
}
