/** What can be asked of a search, and what it answers. */
import type { Plan, PlanKind } from './plan/plan.ts';

/** Which entries of a tree are wanted. Paths in globs are relative to the directory that is searched. */
export interface Selection {
  /** Only files that one of these globs means. */
  include?: readonly string[] | undefined;
  /** Files and directories that one of these globs means are left out, directories with all that is in them. */
  exclude?: readonly string[] | undefined;
  /** Whether names that begin with a dot are taken. Default true. */
  hidden?: boolean | undefined;
  /** Whether what git ignores, and `.git` itself, is left out. Default false. */
  gitignore?: boolean | undefined;
  /** Directories of these names are left out at any depth. */
  excludedDirectories?: readonly string[] | undefined;
  /** Globs for single names, matched at any depth: `*.min.js`. */
  excludedNames?: readonly string[] | undefined;
  /** How many levels below the directory are looked at; 1 is its own entries. Default: all. */
  maxDepth?: number | undefined;
}

export interface SearchCall {
  /** Whose call it is: no client's searches keep those of the others waiting. */
  client?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  files: number;
  matches: number;
}

/** Of a single file that is searched only `include` and `exclude` are asked, with its name as the path. */
export interface GrepQuery extends Selection {
  /** ECMAScript. */
  regex: string;
  flags?: string | undefined;
  /** The first so many matching lines, by path and line. */
  maxMatches: number;
  /** Whether all matches are counted although not all are wanted. Default false. */
  countAll?: boolean | undefined;
  /** Whether the number of searched files must be exact: every file is then looked at. Default false. */
  countFiles?: boolean | undefined;
  /** Lines before and after each match. Default 0. */
  contextLines?: number | undefined;
  /** Longer lines are cut to so many characters, around the match, with `…`. Default: whole lines. */
  maxLineLength?: number | undefined;
  /** The match that reaches so many characters, with context and paths, is the last one. Default: 16 Mi. */
  maxCharacters?: number | undefined;
  /** Asks for one plan instead of the best one. */
  plan?: PlanKind | undefined;
}

export interface FoundLine {
  /** 1-based. */
  number: number;
  text: string;
  /** False for a line that is only context. */
  match: boolean;
}

export interface FileMatches {
  /** Relative to the directory that was searched; the name alone when a file was. */
  path: string;
  /** Matches and their context in the order of the file, each line once. */
  lines: readonly FoundLine[];
}

export interface GrepResult {
  /** By path, byte by byte. */
  files: readonly FileMatches[];
  /** The matching lines in `files`. */
  matches: number;
  /** All that were found: more than `matches` only when all are counted. */
  totalMatches: number;
  /** Whether there are more matches than were wanted, or than an answer can hold. */
  truncated: boolean;
  /** Text files that were searched; exact when nothing was cut off or when it was asked for. */
  filesSearched: number;
  /** Files and directories before the cut that could not be read, and how many they are. */
  unreadable: readonly string[];
  skippedUnreadable: number;
  /** The paths of lines before the cut that are too long to be searched, one for each, and how many they are. */
  longLines: readonly string[];
  skippedLongLines: number;
  plan: Plan;
}

export interface WalkEntry {
  /** Relative to the directory that was walked. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'special';
  /** The path on the disk is not UTF-8: it is shown, but cannot be used to ask for the entry. */
  unnameable?: true;
  /** Files only, when facts were asked for. */
  size?: number;
  modifiedMs?: number;
}

/** Groups of adjacent lines, as `grep` separates them with `--`. */
export function blocksOf(file: FileMatches): FoundLine[][] {
  const blocks: FoundLine[][] = [];
  for (const line of file.lines) {
    const last = blocks.at(-1);
    if (last?.at(-1)?.number === line.number - 1) last.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

/** Each match with the lines around it, which may be matches themselves. */
export function matchesWithContext(
  file: FileMatches,
  contextLines: number,
): { line: FoundLine; before: string[]; after: string[] }[] {
  const { lines } = file;
  return lines.flatMap((line, index) => {
    if (!line.match) return [];
    const near = (other: FoundLine) => Math.abs(other.number - line.number) <= contextLines;
    const before = lines.slice(Math.max(0, index - contextLines), index).filter(near);
    const after = lines.slice(index + 1, index + 1 + contextLines).filter(near);
    return [{ line, before: before.map(({ text }) => text), after: after.map(({ text }) => text) }];
  });
}
