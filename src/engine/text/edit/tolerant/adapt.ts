/**
 * Adapts a replacement to the style of the file, if the search text differs from the file in line ends, blanks,
 * indentation or typography. Lines that the old and the new text share keep the bytes that the file has.
 */
import { changedLines, changedRuns } from '../../diff/diff-lines.ts';
import type { Region } from '../../diff/shortest-edit.ts';
import { type LineEnding, withoutReturn } from '../../line-endings.ts';
import { indentOf, isBlankLine } from '../literal/indent-match.ts';
import { blanksStart } from '../text-view.ts';
import type { FittingPlace } from './fitting-places.ts';
import { type IndentMapper, indentsOf, leastStep, shiftMapper, tabMappers } from './indentation.ts';
import { inFileTypography, type LinePair, plainTypography } from './typography.ts';

const BLANK_AT_END = /[ \t]$/;

export interface Adapting {
  /** The whole file. */
  text: string;
  place: FittingPlace;
  oldText: string;
  newText: string;
  ending: LineEnding;
  /** Whether the place fits only if typography is ignored. */
  ignoresTypography: boolean;
}

/** The adapted replacement; undefined if nothing shows how the file would write it. */
export function adaptNewText(edit: Adapting): string | undefined {
  const { place } = edit;
  const wanted = linesOf(edit.oldText, place);
  const sent = linesOf(edit.newText, place);
  const real = edit.text.slice(place.start, place.end).split('\n');
  const runs = runsBetween(wanted, sent);
  const pairs = wanted.map(
    (line, index): LinePair => ({ wanted: line, real: lineWithoutReturn(real, index) }),
  );
  const newLines = addsBlanks(pairs) ? withoutTrailingBlanks(sent, edit) : sent;
  const changed = runs.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    old: pairs.slice(oldFrom, oldTo),
    newLines: newLines.slice(newFrom, newTo),
  }));
  const typed = edit.ignoresTypography
    ? inFileTypography(changed, pairs)
    : changed.map((run) => run.newLines);
  const indented = typed && reindented(edit, pairs, newLines, typed);
  if (indented === undefined) return undefined;
  return joined(runs, real, indented, edit.ending);
}

/** The lines of a text, without the empty one after a final newline that the file lacks. */
function linesOf(text: string, { lacksNewline }: FittingPlace): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lacksNewline && lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

function lineWithoutReturn(real: readonly string[], index: number): string {
  const line = real[index] ?? '';
  return index < real.length - 1 ? withoutReturn(line) : line;
}

/** Whether lines of the old text end with blanks although those of the file never do. */
function addsBlanks(pairs: readonly LinePair[]): boolean {
  return (
    pairs.some(({ wanted }) => BLANK_AT_END.test(wanted)) &&
    !pairs.some(({ real }) => BLANK_AT_END.test(real))
  );
}

/** Keeps the blanks at the end of a last line that continues in the file: there they are between words. */
function withoutTrailingBlanks(lines: readonly string[], { text, place }: Adapting): string[] {
  const endsLine = /^\r?\n|^$/.test(text.slice(place.end, place.end + 2));
  return lines.map((line, index) => {
    const isWhole = endsLine || index < lines.length - 1;
    return isWhole ? line.slice(0, blanksStart(line, line.length)) : line;
  });
}

/** The lines of the old text that change, and the lines of the new one that replace them. */
function runsBetween(wanted: readonly string[], newLines: readonly string[]): Region[] {
  const numbers = new Map<string, number>();
  const numbered = (line: string): number => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  const ids = { old: Int32Array.from(wanted, numbered), new: Int32Array.from(newLines, numbered) };
  return changedRuns(changedLines({ ...ids, distinct: numbers.size }));
}

function reindented(
  { text, place, ignoresTypography }: Adapting,
  pairs: readonly LinePair[],
  newLines: readonly string[],
  typed: readonly (readonly string[])[],
): readonly (readonly string[])[] | undefined {
  if (place.indent === undefined) return typed;
  const plain = (line: string): string => (ignoresTypography ? plainTypography(line) : line);
  const texts = {
    wanted: pairs.map(({ wanted }) => plain(wanted)),
    real: pairs.map(({ real }) => plain(real)),
    newLines: newLines.map(plain),
    fileUnit: () => leastStep(indentsOf(text.split('\n'))),
  };
  const withIndents = (mapper: IndentMapper) =>
    mapLines(typed, (line) => withIndent(line, plain(line), mapper));
  if (place.indent === 'shifted') return withIndents(shiftMapper(texts));
  const { all, best } = tabMappers(texts, place.indent);
  const results = all.map(withIndents).filter((result) => result !== undefined);
  const isClear = results.every((result) => JSON.stringify(result) === JSON.stringify(results[0]));
  if (isClear) return results[0];
  return best && withIndents(best);
}

function mapLines(
  runs: readonly (readonly string[])[],
  change: (line: string) => string | undefined,
): string[][] | undefined {
  const results: string[][] = [];
  for (const run of runs) {
    const lines = run.map(change);
    if (lines.includes(undefined)) return undefined;
    results.push(lines as string[]);
  }
  return results;
}

function withIndent(line: string, plain: string, mapper: IndentMapper): string | undefined {
  if (isBlankLine(plain)) return '';
  const indent = indentOf(plain);
  const mapped = mapper(indent);
  return mapped === undefined ? undefined : mapped + line.slice(indent.length);
}

function joined(
  runs: readonly Region[],
  real: readonly string[],
  newLines: readonly (readonly string[])[],
  ending: LineEnding,
): string {
  const lines: { text: string; ending: string }[] = [];
  let at = 0;
  const keepUntil = (to: number) => {
    for (; at < to; at++) {
      const text = lineWithoutReturn(real, at);
      const isLast = at === real.length - 1;
      lines.push({ text, ending: isLast ? ending : real[at]!.length > text.length ? '\r\n' : '\n' });
    }
  };
  for (const [index, { oldFrom, oldTo }] of runs.entries()) {
    keepUntil(oldFrom);
    for (const text of newLines[index]!) lines.push({ text, ending });
    at = oldTo;
  }
  keepUntil(real.length);
  return lines
    .map((line, index) => (index < lines.length - 1 ? line.text + line.ending : line.text))
    .join('');
}
