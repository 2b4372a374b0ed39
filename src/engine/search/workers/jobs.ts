/** What the main thread asks a worker to do, and what comes back: plain data that can be sent between threads. */
import type { ScanRoot } from '../../confine/scan/cursor.ts';
import type { IgnoreBase } from '../../glob/gitignore.ts';
import type { ContentOptions } from '../match/search-file.ts';
import type { Recipe } from '../plan/plan.ts';
import type { FoundLine, Selection } from '../query.ts';

interface Job {
  id: number;
  /** Of the WorkQueue that all workers of the search share; what a worker knows already is not sent again. */
  queue: { slot: number; shared: SharedArrayBuffer | undefined };
  round: number;
  /** Units that the queue had no room for when the work was paused. */
  own: readonly string[];
  root: ScanRoot;
  selection: Selection;
  ignoreBase: IgnoreBase | undefined;
}

export interface GrepJob extends Job {
  kind: 'grep';
  recipe: Recipe;
  options: ContentOptions;
  /** How many matching lines are wanted in all. */
  wanted: number;
  /** Whether files whose matches are not wanted are looked at as well, to count them. */
  countFiles: boolean;
  /** Raw paths of the only files that can hold a match, when they are known. */
  candidates: readonly string[] | undefined;
}

export interface ListJob extends Job {
  kind: 'list';
  /** Only entries of these types are reported. */
  report: 'files' | 'all';
  /** Only entries whose name contains this, whatever the case. */
  contains: string | undefined;
  /** Entries deeper than this are walked, but not reported. */
  reportDepth: number;
  /** Sizes and times of the files that are reported. */
  facts: boolean;
  /** Count and bytes of all files, by extension. */
  statistics: boolean;
  wanted: number;
}

export type AnyJob = GrepJob | ListJob;

/** Paths are raw here, see confine/scan.ts. */
export interface FoundFile {
  path: string;
  matches: number;
  lines: FoundLine[];
  /** See `charactersOf`. */
  characters: number;
}

/** Entries in the order of their paths, packed so that sending many of them is cheap. */
export interface PackedEntries {
  /** Separated by NUL. */
  paths: string;
  /** One letter for each entry: f, d, l or s. */
  types: string;
  /** Size and modification time of each entry, when facts were asked for; NaN for what is no file. */
  facts: Float64Array | undefined;
}

export interface ExtensionStatistics {
  files: number;
  bytes: number;
}

/** A worker's account at the end of its part. */
export interface Account {
  /** False when all was done before it came. */
  joined: boolean;
  files: number;
  matches: number;
  unreadable: readonly string[];
  /** The path of each line that was too long, once for each. */
  longLines: readonly string[];
  entries: PackedEntries | undefined;
  statistics: ReadonlyMap<string, ExtensionStatistics> | undefined;
  directories: number;
  /** Units that were not done when the work was ended, and that the queue has no room for. */
  left: readonly string[];
}

export type Report =
  | { id: number; kind: 'found'; files: readonly FoundFile[] }
  | { id: number; kind: 'done'; account: Account }
  /** `code` says of what the system has run short. */
  | { id: number; kind: 'failed'; message: string; code: string | undefined };
