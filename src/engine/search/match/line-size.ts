/** About how many characters found lines take in an answer: caps on an answer's size count in these. */
import type { FoundLine } from '../query.ts';

/** What a line takes besides its text and its path. */
const NUMBER_AND_MARKS = 16;

/** Answers may repeat the path at every line. */
export function charactersOf(path: string, lines: readonly FoundLine[]): number {
  return lines.reduce((sum, line) => sum + charactersOfLine(line) + path.length, 0);
}

export function charactersOfLine({ text }: Pick<FoundLine, 'text'>): number {
  return text.length + NUMBER_AND_MARKS;
}
