/** What the main thread asks a search thread to do, and what the thread sends back: plain data only. */
import type { CharsetScope } from '../../charset/scope.ts';
import type { ScanRoot } from '../../confine/scan/cursor.ts';
import type { PackedDirectories } from '../../confine/scan/packed-entries.ts';
import type { Copies, CopyTarget, ScanOptions } from '../../confine/scan/tree-scanner.ts';
import type { WithheldScope } from '../../confine/withheld/withheld-below.ts';
import type { IgnoreBase } from '../../glob/gitignore.ts';
import type { ContentOptions } from '../match/search-file.ts';
import type { MatcherSpec } from '../plan/plan.ts';
import type { FoundLine, GrepQuery, Selection } from '../query.ts';

/** What a thread gets when it starts. */
export interface ThreadData {
  /** The program that converts encodings. */
  converter: SharedArrayBuffer;
  /** What threads remember of files. */
  signatures: SharedArrayBuffer;
  /** How long ago a file must have changed so that threads remember something of it, where it is not the usual time. */
  settledAfterMs: number | undefined;
}

/** Which run of a job this is, and the work that is left for it. */
export interface JobRun {
  id: number;
  /** The memory of the WorkQueue that all threads of the search share; a thread that has it gets only the slot. */
  queue: { slot: number; shared: SharedArrayBuffer | undefined };
  round: number;
  /** Units that the queue had no room for when the work was paused. */
  overflow: readonly string[];
}

interface Job extends JobRun {
  root: ScanRoot;
}

interface SelectiveJob extends Job {
  selection: Selection;
  ignoreBase: IgnoreBase | undefined;
  withheld: WithheldScope | undefined;
}

export interface GrepJob extends SelectiveJob {
  kind: 'grep';
  matcher: MatcherSpec;
  options: ContentOptions;
  /** How many matching lines the whole search wants; in a summary, how many files. */
  wanted: number;
  summary: GrepQuery['summary'];
  /** Whether threads also search files whose matches are not wanted, to count the files. */
  countFiles: boolean;
  /** The encodings that are declared for files; undefined where none counts. */
  charsets: CharsetScope | undefined;
  /** Raw paths of the only files that can hold a match, when they are known. */
  candidates: readonly string[] | undefined;
}

export interface ListJob extends SelectiveJob {
  kind: 'list';
  /** Which types of entries to report. */
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

/** Reports every entry with its facts. */
export interface ScanJob extends Job, ScanOptions {
  kind: 'scan';
}

/** Copies files into one: each unit names files of a directory. */
export interface CopyJob extends Job {
  kind: 'copy';
  target: CopyTarget;
}

export type AnyJob = GrepJob | ListJob | ScanJob | CopyJob;

/** Paths are raw, see confine/scan/raw-names.ts. */
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
  /** Size and modification time of each entry, when facts were asked for; NaN for what is not a file. */
  facts: Float64Array | undefined;
}

export interface ExtensionStatistics {
  files: number;
  bytes: number;
}

/** What a thread found and counted, sent when its part is done. */
export interface ThreadResult {
  /** False when all work was done before the thread came. */
  joined: boolean;
  files: number;
  matches: number;
  unreadable: readonly string[];
  /** For each line that was too long to search, the path of its file. */
  longLines: readonly string[];
  entries: PackedEntries | undefined;
  statistics: ReadonlyMap<string, ExtensionStatistics> | undefined;
  directories: number;
  scanned: PackedDirectories | undefined;
  copies: Copies | undefined;
  /** Units that the thread did not get to and that the queue has no room for. */
  overflow: readonly string[];
}

export type ThreadMessage =
  | { id: number; kind: 'found'; files: readonly FoundFile[] }
  | { id: number; kind: 'done'; result: ThreadResult }
  /** `code` says what the system has run short of. */
  | { id: number; kind: 'failed'; message: string; code: string | undefined };
