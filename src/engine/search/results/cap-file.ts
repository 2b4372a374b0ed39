/** Caps what one file adds to an answer: as many whole matches with their context as still fit. */
import { charactersOf, charactersOfLine, type FoundLine } from '../query.ts';

/** How much an answer may still take. */
export interface ResultCap {
  matches: number;
  characters: number;
}

export interface CappedFile {
  lines: readonly FoundLine[];
  matches: number;
  /** See `charactersOf`. */
  characters: number;
}

/** Keeps the last match whole that begins below the cap. */
export function capFile(
  path: string,
  lines: readonly FoundLine[],
  cap: ResultCap,
  contextLines: number,
): CappedFile {
  let matches = 0;
  let characters = 0;
  for (const line of lines) {
    if (line.match && (matches === cap.matches || characters >= cap.characters)) {
      const kept = firstMatches(lines, matches, contextLines);
      return { lines: kept, matches, characters: charactersOf(path, kept) };
    }
    if (line.match) matches++;
    characters += charactersOfLine(line) + path.length;
  }
  return { lines, matches, characters };
}

/** The first `count` matches and the context of the last of them. Matches in that context become context. */
function firstMatches(lines: readonly FoundLine[], count: number, contextLines: number): FoundLine[] {
  const kept: FoundLine[] = [];
  let left = count;
  let end = count === 0 ? 0 : Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (line.number > end) break;
    kept.push(left > 0 || !line.match ? line : { ...line, match: false });
    if (line.match && --left === 0) end = line.number + contextLines;
  }
  return kept;
}
