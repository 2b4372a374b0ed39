/** As much of what was found in a file as an answer still has room for: whole matches with their context. */
import { charactersOf, charactersOfLine } from '../match/line-size.ts';
import type { FoundLine } from '../query.ts';

export interface Room {
  matches: number;
  characters: number;
}

export interface Portion {
  lines: readonly FoundLine[];
  matches: number;
  /** About what the lines take in an answer. */
  characters: number;
}

/** A match that is begun while there is room is told whole. */
export function portionOf(
  path: string,
  lines: readonly FoundLine[],
  room: Room,
  contextLines: number,
): Portion {
  let matches = 0;
  let characters = 0;
  for (const line of lines) {
    if (line.match && (matches === room.matches || characters >= room.characters)) {
      const kept = firstMatches(lines, matches, contextLines);
      return { lines: kept, matches, characters: charactersOf(path, kept) };
    }
    if (line.match) matches++;
    characters += charactersOfLine(line) + path.length;
  }
  return { lines, matches, characters };
}

/** The first `count` matches with the context of the last of them; matches in that context become context. */
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
