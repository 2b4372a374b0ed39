/** Reads lines with their numbers, as `12 | text`, as many as fit into one result. */
import {
  countingLines,
  type Engine,
  fail,
  inTurns,
  joinedInTurns,
  mapInTurns,
  splittingLines,
  Yielder,
} from '../../engine/index.ts';
import {
  bytesOfText,
  countThatFits,
  MAX_MESSAGE_BYTES,
  MAX_TEXT_BYTES,
  requireFits,
} from '../results/result-size.ts';
import { filesOf, refuse } from './one-or-many.ts';

/** No result could hold more lines. */
const MAX_LINES = 5_000_000;
/** No file has so many lines, so a later end means the end of the file, too. */
const LAST_LINE = Number.MAX_SAFE_INTEGER;
/** The shortest line: a number of one digit, the separator, and the line end. */
const MIN_LINE_BYTES = '1 | \n'.length;
/** The longest range that an error suggests, although more lines may fit if they are very short. */
const MAX_LINES_TRIED = 200_000;

const FEWER_FILES = 'Read fewer files at once, or one with line_range';

export interface NumberedLines {
  first: number;
  lines: string[];
}

/** Reads whole files, without their byte-order marks. */
export async function numberedFiles(
  workspace: Engine,
  path: string | string[],
  signal: AbortSignal,
): Promise<NumberedLines[]> {
  const paths = filesOf(path);
  const texts = await workspace.files.readTexts(paths, { signal });
  const yielder = new Yielder(signal);
  let count = 0;
  for (const text of texts) count += await inTurns(countingLines(text), yielder);
  requireFew(count);
  await requireSendable(texts, count, Array.isArray(path));
  const files: NumberedLines[] = [];
  for (const text of texts) {
    const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
    const lines = await inTurns(splittingLines(bare), yielder);
    files.push(await withNumbers(lines, 1, signal));
  }
  return files;
}

/** Reads the lines of `range`, which is `start-end`, counted from 1. An end beyond the file means its last line. */
export async function numberedRange(
  workspace: Engine,
  path: string,
  range: string,
  signal: AbortSignal,
): Promise<NumberedLines> {
  const { from, to } = parseRange(range);
  const wanted = { from, to: Math.min(to, from + MAX_LINES) };
  const lines = await workspace.files.readLines(path, wanted, { signal });
  requireFew(lines.length);
  return withNumbers(lines, from, signal);
}

export async function oneFileText({ first, lines }: NumberedLines): Promise<string> {
  const whole = await joinedInTurns(lines, '\n', new Yielder(undefined));
  return requireFits(whole, () => rangeThatFits(lines, first));
}

export async function manyFilesText(
  paths: readonly string[],
  files: readonly NumberedLines[],
): Promise<string> {
  const yielder = new Yielder(undefined);
  const parts = [`Successfully read ${files.length} file(s):`];
  for (const [index, { lines }] of files.entries()) {
    const heading = `=== ${paths[index]} (${lines.length} lines) ===`;
    parts.push(lines.length === 0 ? heading : `${heading}\n${await joinedInTurns(lines, '\n', yielder)}`);
    await yielder.pause();
  }
  const whole = await joinedInTurns(parts, '\n\n', yielder);
  return requireFits(whole, () => FEWER_FILES);
}

/** Fails before anything numbers millions of lines that could not be sent, while other calls wait. */
async function requireSendable(texts: readonly string[], lines: number, isList: boolean): Promise<void> {
  const least = texts.reduce((sum, { length }) => sum + length, lines * MIN_LINE_BYTES);
  if (least <= MAX_TEXT_BYTES) return;
  const beginning = texts[0]!.slice(0, MAX_TEXT_BYTES).split('\n', MAX_LINES_TRIED);
  const numbered = await mapInTurns(beginning, new Yielder(undefined), (line, i) => `${i + 1} | ${line}`);
  fail({
    kind: 'answer-too-large',
    bytes: least,
    limit: MAX_MESSAGE_BYTES,
    instead: isList ? FEWER_FILES : await rangeThatFits(numbered, 1),
  });
}

async function rangeThatFits(lines: readonly string[], first: number): Promise<string> {
  const fitting = await countThatFits(lines, bytesOfText);
  if (fitting === 0) return `Line ${first} alone is too long for an answer`;
  return `Read a part of it: line_range ${first}-${first + fitting - 1} fits`;
}

async function withNumbers(
  lines: readonly string[],
  first: number,
  signal: AbortSignal,
): Promise<NumberedLines> {
  const number = (line: string, index: number) => `${first + index} | ${line}`;
  return { first, lines: await mapInTurns(lines, new Yielder(signal), number) };
}

function parseRange(range: string): { from: number; to: number } {
  const [from, to] = range.split('-').map(Number) as [number, number];
  if (from === 0) refuse('line_range', `line_range ${range}: lines are counted from 1`);
  if (from > to) refuse('line_range', `line_range ${range}: the start is after the end`);
  return { from: Math.min(from, LAST_LINE), to: Math.min(to, LAST_LINE) };
}

function requireFew(lines: number): void {
  if (lines > MAX_LINES)
    refuse('path', `${MAX_LINES} lines can be read in one call; ask for a smaller line_range`);
}
