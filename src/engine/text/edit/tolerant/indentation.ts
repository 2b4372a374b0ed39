/** Adapts the indentation of a replacement to the file, if the search text is indented differently. */
import { commonIndent, indentOf, isBlankLine } from '../literal/indent-match.ts';

/** The lines of the search text, the lines of the file that it fits, and all new lines. */
export interface Reindenting {
  wanted: readonly string[];
  real: readonly string[];
  newLines: readonly string[];
  /** The width of one level of indentation in the file. */
  fileUnit: () => number | undefined;
}

/** Maps the indentation that a line was sent with to the one that it gets; undefined if that is not known. */
export type IndentMapper = (indent: string) => string | undefined;

/** The tab widths to try when one side has tabs and the other has blanks. */
export const TAB_WIDTHS = [2, 3, 4, 8] as const;

/** Whether one indentation is the other with characters added or removed at one end. */
export function isShift(wanted: string, real: string): boolean {
  return wanted.startsWith(real) || real.startsWith(wanted) || wanted.endsWith(real) || real.endsWith(wanted);
}

/** Moves all lines by as much as the lines that were found. */
export function shiftMapper({ wanted, real }: Reindenting): IndentMapper {
  const from = commonIndent(indentsOf(wanted));
  const to = commonIndent(indentsOf(real));
  const inner = indentsOf(real)
    .map((indent) => indent.slice(to.length))
    .join('');
  return (indent) => {
    if (indent.startsWith(from)) {
      const rest = indent.slice(from.length);
      return mixes(to, rest) && !mixes(to, inner) ? undefined : to + rest;
    }
    const missing = from.slice(indent.length);
    if (!from.startsWith(indent) || !to.endsWith(missing)) return undefined;
    return to.slice(0, to.length - missing.length);
  };
}

/** Whether blanks would follow tabs, or tabs blanks. */
function mixes(outer: string, inner: string): boolean {
  return outer !== '' && [...inner].some((each) => !outer.includes(each));
}

/**
 * One mapper for each tab width that explains the difference. If their results disagree, `best` is the one that the
 * width of an indentation level suggests, if there is one.
 */
export function tabMappers(texts: Reindenting, widths: readonly number[]) {
  const mappers = widths.map((width) => ({ width, mapper: tabMapper(texts, width) }));
  const unmoved = widths.filter(
    (width) => leastColumns(texts.wanted, width) === leastColumns(texts.real, width),
  );
  const unit = unitOf(texts);
  const best = mappers.find(({ width }) => width === unit && unmoved.includes(width));
  return { all: mappers.map(({ mapper }) => mapper), best: best?.mapper };
}

function tabMapper({ wanted, real }: Reindenting, width: number): IndentMapper {
  const moved = leastColumns(real, width) - leastColumns(wanted, width);
  const indents = indentsOf(real);
  const known = indentsByColumns(indents, width);
  const seen = new Set(indentsOf(wanted));
  const [sent, used] = [seen, indents].map((all) => new Set([...all].join('')));
  return (indent) => {
    // If a text mixes tabs and blanks, the width of its tabs is known only for the lines that were found.
    const isClear = sent!.size === 1 && [...indent].every((each) => sent!.has(each));
    if (!isClear && !seen.has(indent)) return undefined;
    const target = columns(indent, width) + moved;
    const same = known.get(target);
    if (same !== undefined) return same.length === 1 ? same[0] : undefined;
    if (target < 0) return undefined;
    if (used!.size !== 1) return undefined;
    if (used!.has(' ')) return ' '.repeat(target);
    return target % width === 0 ? '\t'.repeat(target / width) : undefined;
  };
}

/** The ways in which the file writes each column. If there are several, a new line could have any of them. */
function indentsByColumns(indents: readonly string[], width: number): Map<number, string[]> {
  const known = new Map<number, string[]>();
  for (const indent of new Set(indents)) {
    const column = columns(indent, width);
    known.set(column, [...(known.get(column) ?? []), indent]);
  }
  return known;
}

/** How many blanks one level takes, on the side that indents with blanks; undefined if no line shows it. */
function unitOf({ wanted, newLines, fileUnit }: Reindenting): number | undefined {
  const indents = indentsOf([...wanted, ...newLines]);
  if (!indents.some((indent) => indent.includes('\t'))) return leastStep(indents);
  return indents.some((indent) => indent.includes(' ')) ? undefined : fileUnit();
}

/** The smallest difference between the indentations of consecutive lines. */
export function leastStep(indents: readonly string[]): number | undefined {
  let least: number | undefined;
  for (const [index, indent] of indents.entries()) {
    const step = Math.abs(indent.length - (indents[index - 1] ?? indent).length);
    if (step > 0 && (least === undefined || step < least)) least = step;
  }
  return least;
}

function leastColumns(lines: readonly string[], width: number): number {
  return indentsOf(lines).reduce((least, indent) => Math.min(least, columns(indent, width)), Infinity);
}

/** The indentations of all lines that are not blank. */
export function indentsOf(lines: readonly string[]): string[] {
  return lines.filter((line) => !isBlankLine(line)).map(indentOf);
}

function columns(indent: string, width: number): number {
  let count = 0;
  for (const each of indent) count += each === '\t' ? width - (count % width) : 1;
  return count;
}

/** Replaces the tabs in the indentation of each line with blanks. */
export function expandIndents(text: string, width: number): string {
  return text.replace(/^[ \t]*\t[ \t]*/gm, (indent) => ' '.repeat(columns(indent, width)));
}
