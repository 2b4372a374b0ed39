/** A patch as lines that the parsers read one after the other. */
import { fail } from '../../../failures.ts';
import { BOM } from '../../encoding.ts';

/** `at` is the line to read next, counted from 0, and `end` is exclusive. */
export interface PatchReader {
  lines: string[];
  at: number;
  end: number;
}

export const BINARY = /^(GIT binary patch|Binary files .* differ)/;

/** `at` counts from 0, as everywhere in the parser; the line in the failure counts from 1. */
export function badPatch(reason: string, at: number): never {
  fail({ kind: 'bad-patch', reason, line: at + 1 });
}

/** The lines of a patch that is not empty. */
export function linesOfPatch(text: string): string[] {
  const lines = (text.startsWith(BOM) ? text.slice(1) : text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.every((line) => line.trim() === '')) badPatch('the patch is empty', 0);
  return lines;
}

/** If the patch's own lines end with `\r\n`, this says nothing about the files. */
export function dropCarriageReturns(lines: string[], from: number): void {
  for (let line = from; line < lines.length; line++) {
    if (lines[line]!.endsWith('\r')) lines[line] = lines[line]!.slice(0, -1);
  }
}

export function isNamePair(lines: readonly string[], at: number, end: number): boolean {
  return at + 1 < end && lines[at]!.startsWith('--- ') && lines[at + 1]!.startsWith('+++ ');
}

export function skipBlank(reader: PatchReader): void {
  while (reader.at < reader.end && reader.lines[reader.at]!.trim() === '') reader.at++;
}
