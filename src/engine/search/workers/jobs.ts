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

/** What a thread receives when it starts. */
export interface ThreadData {
  /** The code of the program that converts encodings. */
  converter: SharedArrayBuffer;
  /** The memory of the SignatureStore. */
  signatures: SharedArrayBuffer;
  /** Threads remember the signature of a file only if it has not changed for this long. Default: see KnownFiles. */
  settledAfterMs: number | undefined;
}

/** Identifies one run of a job, and the work that is left for it. */
export interface JobRun {
  id: number;
  /** The memory of the WorkQueue that all threads of the search share. A thread that has it receives only the slot. */
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
  /** Whether threads search even files whose matches are not needed, to count the files. */
  countFiles: boolean;
  /** The encodings that are declared for files. Undefined: all files are UTF-8 or begin with a mark. */
  charsets: CharsetScope | undefined;
  /** Raw paths of the only files that can match, if they are known. */
  candidates: readonly string[] | undefined;
}

export interface ListJob extends SelectiveJob {
  kind: 'list';
  /** Which types of entries to report. */
  report: 'files' | 'all';
  /** Reports only entries whose name contains this text, in any letter case. */
  contains: string | undefined;
  /** Entries deeper than this are walked but not reported. */
  reportDepth: number;
  /** Whether to report sizes and times of files. */
  facts: boolean;
  /** Whether to count all files and their bytes by extension. */
  statistics: boolean;
  wanted: number;
}

/** Reports every entry with its facts. */
export interface ScanJob extends Job, ScanOptions {
  kind: 'scan';
}

/** Copies many files into one. Each unit names files of a directory. */
export interface CopyJob extends Job {
  kind: 'copy';
  target: CopyTarget;
}

export type AnyJob = GrepJob | ListJob | ScanJob | CopyJob;

/** The matches of one file. The path is raw, see confine/scan/raw-names.ts. */
export interface FoundFile {
  path: string;
  matches: number;
  lines: FoundLine[];
  /** See `charactersOf`. */
  characters: number;
}

/** Entries in the order of their paths, packed so that it is cheap to send many of them. */
export interface PackedEntries {
  /** The raw paths, separated by NUL. */
  paths: string;
  /** One letter for each entry: f, d, l or s. */
  types: string;
  /** Size and modification time of each entry, if the job asks for facts; NaN for entries that are not files. */
  facts: Float64Array | undefined;
}

export interface ExtensionStatistics {
  files: number;
  bytes: number;
}

/** What a thread found and counted, sent when its part is done. */
export interface ThreadResult {
  /** False if all work was done before the thread came. */
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
  /** `code` is set if the system ran short of descriptors or memory: EMFILE, for example. */
  | { id: number; kind: 'failed'; message: string; code: string | undefined };
