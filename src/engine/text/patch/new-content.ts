/** The content of a file that a patch adds. */
import type { LooseHunk } from './parse/file-operation.ts';
import type { HunkLine } from './parse/hunk.ts';
import { badPatch } from './parse/patch-reader.ts';

export function addedContent(hunks: readonly Pick<LooseHunk, 'lines' | 'line'>[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines.map((line) => added(line, hunk.line)));
  return linesAsText(lines);
}

/** A completely empty line among added lines is an empty line that lost its mark. */
function added(line: HunkLine, at: number): HunkLine {
  if (line.mark === '+' || (line.mark === ' ' && line.text.trim() === '')) return line;
  return badPatch("a new file can only have '+' lines", at - 1);
}

/** The lines of a new file as its content. */
export function linesAsText(lines: readonly HunkLine[]): string {
  if (lines.length === 0) return '';
  const text = lines.map((line) => line.text).join('\n');
  return lines.at(-1)!.newline ? `${text}\n` : text;
}
