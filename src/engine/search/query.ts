/** What a caller can ask of a search, and what the search answers. */
import type { CharsetScope } from '../charset/scope.ts';
import type { Plan, PlanKind } from './plan/plan.ts';

/** Which entries of a tree to search. Globs are relative to the directory that is searched. */
export interface Selection {
  /** Takes only files that one of these globs matches. */
  include?: readonly string[] | undefined;
  /** Leaves out files and directories that one of these globs matches, directories with everything in them. */
  exclude?: readonly string[] | undefined;
  /** Whether to include names that begin with a dot. Default true. */
  hidden?: boolean | undefined;
  /** Whether to leave out entries that git ignores, and `.git` itself. Default false. */
  gitignore?: boolean | undefined;
  /**
   * Whether to leave out entries that `.gitignore` and `.ignore` files name, and `.git` itself. A search that starts
   * in an ignored directory includes everything there. Default false.
   */
  ignoreFiles?: boolean | undefined;
  /** Leaves out directories with these names, at any depth. */
  excludedDirectories?: readonly string[] | undefined;
  /** Leaves out names that these globs match, at any depth: `*.min.js`. */
  excludedNames?: readonly string[] | undefined;
  /** How many levels to walk; 1 is the directory's own entries. Default: all. */
  maxDepth?: number | undefined;
}

export interface SearchCall {
  /** The client that called: the searches of one client do not keep those of another waiting. */
  client?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Default: 30 seconds for a content search, and no limit for others, which surely end. */
  timeoutMs?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** The encodings that are declared where the search starts. Without it, files are UTF-8 or begin with a mark. */
  charsets?: CharsetScope | undefined;
}

export interface Progress {
  files: number;
  matches: number;
}

/** When the place is a single file, only `include` and `exclude` of the selection count, with its name as the path. */
export interface GrepQuery extends Selection {
  /** In ECMAScript syntax. */
  regex: string;
  flags?: string | undefined;
  /** The cap: the search returns this many matching lines, the first ones by path and line. */
  maxMatches: number;
  /** Whether to count all matches, including those beyond the cap. Default false. */
  countAll?: boolean | undefined;
  /**
   * Asks only which files match, or how many lines match in each: `lines` stay empty, `maxMatches` counts files, and
   * there is no cap on characters. Default: the search returns the lines.
   */
  summary?: 'files' | 'counts' | undefined;
  /** Whether to search every file, so that the number of searched files is exact. Default false. */
  countFiles?: boolean | undefined;
  /** Lines before and after each match. Default 0. */
  contextLines?: number | undefined;
  /** Truncates longer lines to this many characters, around the match, with `…`. Default: whole lines. */
  maxLineLength?: number | undefined;
  /** How many matching lines to skip in each file: they are counted but not shown. Default 0. */
  skipInFile?: number | undefined;
  /**
   * The cap on characters: the match that reaches it, with context and paths, is the last one. Default:
   * `limits.foundCharacters`.
   */
  maxCharacters?: number | undefined;
  /** Whether to use the encodings that the owner or an .editorconfig declares for files. Default false. */
  declaredEncodings?: boolean | undefined;
  /** Forces one plan, to compare plans. Default: the cheapest one. */
  plan?: PlanKind | undefined;
}

/** A search of several sources (see `served-globs.ts`), each of which has its own globs. */
export type GrepAllQuery = Omit<GrepQuery, 'include' | 'exclude' | 'summary'>;

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
  /** Matches and their context, in the order of the file and each line once. Empty in a summary. */
  lines: readonly FoundLine[];
  /** How many of the shown lines match. In a summary of counts: of all lines. In a summary of files: always 1. */
  matches: number;
}

export interface GrepResult {
  /** Sorted by path, byte by byte. */
  files: readonly FileMatches[];
  /** How many matching lines `files` has. */
  matches: number;
  /** Larger than `matches` only with `countAll`. */
  totalMatches: number;
  /** Whether there are more matches than `maxMatches` and `maxCharacters` allow. */
  truncated: boolean;
  /** How many text files were searched. It is exact when the result is not truncated, or with `countFiles`. */
  filesSearched: number;
  /** Files and directories before the cap that could not be read, and their number. */
  unreadable: readonly string[];
  skippedUnreadable: number;
  /** For each line before the cap that is too long to search, the path of its file; and the number of such lines. */
  longLines: readonly string[];
  skippedLongLines: number;
  plan: Plan;
}

export interface WalkEntry {
  /** Relative to the directory that was walked. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'special';
  /** Set when the path on disk is not UTF-8: it can be shown, but no call can use it to name the entry. */
  unnameable?: true;
  /** Only for files, in a search with `facts`. */
  size?: number;
  modifiedMs?: number;
}

/** How many characters a line counts for the cap on characters, besides its text and its path. */
const NUMBER_AND_MARKS = 16;

/** How many characters the lines of one file count for that cap: each with the path, which answers may repeat. */
export function charactersOf(path: string, lines: readonly FoundLine[]): number {
  return lines.reduce((sum, line) => sum + charactersOfLine(line) + path.length, 0);
}

/** The same for one line, without the path. */
export function charactersOfLine({ text }: Pick<FoundLine, 'text'>): number {
  return text.length + NUMBER_AND_MARKS;
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
