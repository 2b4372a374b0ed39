/** Estimates how many characters found lines take in an answer: the caps on an answer's size use these numbers. */
import type { FoundLine } from '../query.ts';

/** How many characters a line takes besides its text and its path. */
const NUMBER_AND_MARKS = 16;

/** Counts the path for every line: answers may repeat it. */
export function charactersOf(path: string, lines: readonly FoundLine[]): number {
  return lines.reduce((sum, line) => sum + charactersOfLine(line) + path.length, 0);
}

export function charactersOfLine({ text }: Pick<FoundLine, 'text'>): number {
  return text.length + NUMBER_AND_MARKS;
}
