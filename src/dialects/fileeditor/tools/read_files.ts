import { Breathing, countLines, fail, mapInTurns, splitLines } from '../../../engine/index.ts';
import { jsonBytes } from '../../../json/json-size.ts';
import { defineTool, hints } from '../../dialect.ts';
import { countThatFits, MAX_MESSAGE_BYTES, MAX_TEXT_BYTES, requireFits } from '../../result-size.ts';
import { filesOf, refuse } from '../lists.ts';
import { inWorkspace } from '../workspace.ts';

/** More could not be held as one answer. */
const MOST_LINES = 5_000_000;

export const readFiles = defineTool({
  name: 'read_files',
  title: 'Read files',
  description:
    'Read one file, a range of its lines, or several files. Every line comes with its number, as "12 | text".',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      path: {
        oneOf: [
          { type: 'string', description: 'The path of the single file to read' },
          { type: 'array', items: { type: 'string' }, description: 'An array of file paths to read' },
        ],
      },
      line_range: {
        type: 'string',
        description: "Optional line range, format 'start-end' (only for single file)",
        pattern: '^\\d+-\\d+$',
      },
    },
    required: ['path'],
  },
  run: ({ path, line_range }, context) =>
    inWorkspace(context, async (workspace) => {
      const paths = filesOf(path);
      const { signal } = context;
      if (line_range === undefined) {
        const texts = await workspace.files.readTexts(paths, { signal });
        requireFew(texts.reduce((sum, text) => sum + countLines(text), 0));
        requireRoom(texts, Array.isArray(path));
        const numbered: string[][] = [];
        for (const text of texts) {
          const lines = splitLines(text.startsWith('\uFEFF') ? text.slice(1) : text);
          numbered.push(await withNumbers(lines, 1, signal));
        }
        return numbered;
      }
      if (paths.length > 1) refuse('line_range', 'line_range works with a single file only');
      const { from, to } = rangeOf(line_range);
      const lines = await workspace.files.readLines(
        paths[0]!,
        { from, to: Math.min(to, from + MOST_LINES) },
        { signal },
      );
      requireFew(lines.length);
      return [await withNumbers(lines, from, signal)];
    }),
  render(texts, { path, line_range }) {
    if (!Array.isArray(path) || line_range !== undefined) {
      const first = line_range === undefined ? 1 : rangeOf(line_range).from;
      return requireFits(texts[0]!.join('\n'), () => rangeThatFits(texts[0]!, first));
    }
    const parts = texts.map((lines, index) =>
      [`=== ${path[index]} (${lines.length} lines) ===`, ...lines].join('\n'),
    );
    const whole = [`Successfully read ${texts.length} file(s):`, ...parts].join('\n\n');
    return requireFits(whole, () => FEWER_FILES);
  },
});

/** A number of one digit, what stands behind it, and the line end. */
const LEAST_A_LINE = '1 | \n'.length;

/** Of a file of very short lines a range of so many is proposed, although a few more would fit. */
const MOST_TRIED = 200_000;

/** Told before millions of lines are numbered that could not be sent: others would wait for that. */
function requireRoom(texts: readonly string[], isList: boolean): void {
  const least = texts.reduce((sum, text) => sum + text.length + countLines(text) * LEAST_A_LINE, 0);
  if (least <= MAX_TEXT_BYTES) return;
  const beginning = texts[0]!.slice(0, MAX_TEXT_BYTES).split('\n', MOST_TRIED);
  const numbered = beginning.map((line, i) => `${i + 1} | ${line}`);
  fail({
    kind: 'answer-too-large',
    bytes: least,
    limit: MAX_MESSAGE_BYTES,
    instead: isList ? FEWER_FILES : rangeThatFits(numbered, 1),
  });
}

const FEWER_FILES = 'Read fewer files at once, or one with line_range';

function rangeThatFits(lines: readonly string[], first: number): string {
  const fitting = countThatFits(lines, jsonBytes);
  if (fitting === 0) return `Line ${first} alone is too long for an answer`;
  return `Read a part of it: line_range ${first}-${first + fitting - 1} fits`;
}

function withNumbers(lines: readonly string[], first: number, signal: AbortSignal): Promise<string[]> {
  return mapInTurns(lines, new Breathing(signal), (line, index) => `${first + index} | ${line}`);
}

function rangeOf(range: string): { from: number; to: number } {
  const [from, to] = range.split('-').map(Number) as [number, number];
  if (from === 0) refuse('line_range', `line_range ${range}: lines are counted from 1`);
  if (from > to) refuse('line_range', `line_range ${range}: the start is behind the end`);
  if (!Number.isSafeInteger(to)) refuse('line_range', `line_range ${range}: the number is too large`);
  return { from, to };
}

function requireFew(lines: number): void {
  if (lines > MOST_LINES)
    refuse('path', `${MOST_LINES} lines can be read in one call; ask for a smaller line_range`);
}
