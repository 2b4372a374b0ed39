/** Searches a directory or a file: contents, names, globs, trees. */
import { availableParallelism } from 'node:os';
import type { Dir } from '../confine/directory/dir.ts';
import { Place } from '../confine/place.ts';
import { scanRootOf } from '../confine/scan/cursor.ts';
import { rawOf, textOf } from '../confine/scan/raw-names.ts';
import type { TreeScanner } from '../confine/scan/tree-scanner.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { compileGlobs } from '../glob/glob.ts';
import { tidyHeap } from '../heap.ts';
import { checkNumbers, grepWith } from './grep.ts';
import { type PlanOptions, planSearch } from './plan/plan.ts';
import type { GrepQuery, GrepResult, SearchCall, Selection, WalkEntry } from './query.ts';
import { fileUnit } from './queue/file-unit.ts';
import { QueueMemories } from './queue/queue-memory.ts';
import { WorkQueue } from './queue/work-queue.ts';
import { mergedEntries, mergedStatistics, sum, unreadableBefore } from './results/results.ts';
import { ripgrep } from './ripgrep/ripgrep.ts';
import { TreeThreads } from './tree-threads.ts';
import { openSearchRoot, requireRootReadable, type SearchRoot, selectionOf } from './walk/search-root.ts';
import type { ListJob, ThreadResult } from './workers/jobs.ts';
import { SearchPool } from './workers/pool.ts';
import { type JobTemplate, type RunningSearch, runJob } from './workers/run-job.ts';
import { CallLimits, withTimeLimit } from './workers/time-limit.ts';

const MOST_WORKERS = 4;
const LONGEST_PATTERN = 10_000;

export interface SearchSettings {
  /** Whether ripgrep may be used. Default true. */
  ripgrep?: boolean;
  /** How long the main thread scans a tree before it leaves the rest to the search threads. */
  mainThreadMs?: number;
  /** The bundle of the search thread. Default: the one in the package. */
  workerFile?: string;
  /** A search remembers the signature of a file only if it has not changed for this long. Default: a minute. */
  settledAfterMs?: number;
}

export interface WalkQuery extends Selection {
  /** At most this many entries, the first ones by path. 0 or undefined: all. */
  max?: number | undefined;
  /** Whether to return the size and modification time of files. Default false. */
  facts?: boolean | undefined;
}

export interface WalkResult {
  /** Sorted by path, byte by byte. */
  entries: readonly WalkEntry[];
  truncated: boolean;
  /** Directories that could not be read, up to the last returned entry, and their number. */
  unreadable: readonly string[];
  skippedUnreadable: number;
}

export interface Overview {
  /** The entries down to `depth`. */
  entries: readonly WalkEntry[];
  files: number;
  directories: number;
  bytes: number;
  /**
   * All files at any depth, by extension; the one with most bytes first. Extensions are in lower case with the dot, or
   * `(none)`.
   */
  extensions: readonly { extension: string; files: number; bytes: number }[];
  /** Directories that could not be read, and their number. */
  unreadable: readonly string[];
  skippedUnreadable: number;
}

export class Search {
  readonly #pool: SearchPool;
  readonly #ripgrep: boolean;
  readonly #mainThreadMs: number | undefined;
  readonly #memories = new QueueMemories();

  constructor(options: SearchSettings = {}) {
    const workers = Math.min(MOST_WORKERS, Math.max(2, availableParallelism()));
    this.#pool = new SearchPool(workers, options.workerFile, options.settledAfterMs);
    this.#ripgrep = options.ripgrep ?? true;
    this.#mainThreadMs = options.mainThreadMs;
  }

  /** How many threads are alive. */
  get threads(): number {
    return this.#pool.threads;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Scans whole trees on the same threads. */
  get trees(): TreeScanner {
    return new TreeThreads((units, job) => this.#runUnits(units, job), this.#mainThreadMs);
  }

  /** Finds the lines that a regular expression matches. `where` may be a single file. */
  async grep(where: Place | Dir, query: GrepQuery, call: SearchCall = {}): Promise<GrepResult> {
    checkSelection(query);
    requireShortPattern(query.regex);
    checkNumbers(query);
    const plan = planSearch(query.regex, query.flags ?? '', await this.#planOptions(where, query));
    return this.#searchFrom(where, query, withTimeLimit(call), (root, running) =>
      grepWith(root, running, query, plan),
    );
  }

  /** Finds files and directories whose name contains a text, in any letter case. */
  names(
    where: Place | Dir,
    query: WalkQuery & { contains: string },
    call: SearchCall = {},
  ): Promise<WalkResult> {
    return this.#list(where, query, { contains: query.contains }, call);
  }

  /** Finds the files that one of the globs matches. */
  glob(
    where: Place | Dir,
    query: WalkQuery & { globs: readonly string[] },
    call: SearchCall = {},
  ): Promise<WalkResult> {
    return this.#list(where, { ...query, include: query.globs }, { report: 'files' }, call);
  }

  /** Lists everything below a directory. */
  walk(where: Place | Dir, query: WalkQuery, call: SearchCall = {}): Promise<WalkResult> {
    return this.#list(where, query, {}, call);
  }

  /** Lists the upper levels of a tree with sizes, and counts all of it. */
  overview(
    where: Place | Dir,
    query: Selection & { depth: number },
    call: SearchCall = {},
  ): Promise<Overview> {
    checkSelection(query);
    return this.#searchFrom(where, query, call, async (root, running) => {
      const job = listTemplate(root, query, { facts: true, statistics: true, reportDepth: query.depth });
      const threadResults = await runJob(running, job, ignore);
      requireRootReadable(root, threadResults);
      const extensions = [...mergedStatistics(threadResults)]
        .map(([extension, counts]) => ({ extension, ...counts }))
        .sort((a, b) => b.bytes - a.bytes || (a.extension < b.extension ? -1 : 1));
      const unreadable = unreadableBefore(threadResults, undefined);
      return {
        entries: await mergedEntries(threadResults, Number.POSITIVE_INFINITY, new Yielder(call.signal)),
        files: sum(threadResults, ({ files }) => files),
        directories: sum(threadResults, ({ directories }) => directories),
        bytes: extensions.reduce((total, { bytes }) => total + bytes, 0),
        extensions,
        unreadable,
        skippedUnreadable: unreadable.length,
      };
    });
  }

  #list(where: Place | Dir, query: WalkQuery, how: Partial<ListJob>, call: SearchCall): Promise<WalkResult> {
    checkSelection(query);
    const max = query.max || Number.POSITIVE_INFINITY;
    return this.#searchFrom(where, query, call, async (root, running) => {
      const job = listTemplate(root, query, { facts: query.facts ?? false, wanted: max + 1, ...how });
      const threadResults = await runJob(running, job, ignore);
      requireRootReadable(root, threadResults);
      const entries = await mergedEntries(threadResults, max + 1, new Yielder(call.signal));
      const truncated = entries.length > max;
      const shown = truncated ? entries.slice(0, max) : entries;
      const last = truncated ? rawOf(shown.at(-1)?.path ?? '') : undefined;
      const unreadable = unreadableBefore(threadResults, last);
      return { entries: shown, truncated, unreadable, skippedUnreadable: unreadable.length };
    });
  }

  /** Runs a search and holds its root open while threads walk below it. */
  async #searchFrom<T>(
    where: Place | Dir,
    selection: Selection,
    call: SearchCall,
    search: (root: SearchRoot, running: RunningSearch) => Promise<T>,
  ): Promise<T> {
    const root = openSearchRoot(where, selection);
    try {
      return await this.#withQueue(call, (running) => {
        if (root.file === undefined) running.queue.push(['']);
        else if (selects(selection, textOf(root.file))) running.queue.push([fileUnit('', [root.file])]);
        return search(root, running);
      });
    } finally {
      if (root.dir !== where && !(where instanceof Place && root.dir === where.dir)) root.dir.close();
    }
  }

  /** Runs a job that cannot be cancelled: its callers need the whole result. */
  #runUnits(units: readonly string[], job: JobTemplate): Promise<ThreadResult[]> {
    return this.#withQueue({}, (running) => {
      const overflow = running.queue.push(units);
      return runJob({ ...running, overflow }, job, ignore);
    });
  }

  /** Gives a search an empty queue, and enforces the call's time limit and cancellation. */
  async #withQueue<T>(call: SearchCall, run: (running: RunningSearch) => Promise<T>): Promise<T> {
    const { client = '', onProgress, charsets } = call;
    const limits = new CallLimits(call);
    const memory = this.#memories.take();
    const queue = new WorkQueue(memory.shared);
    let isReusable = false;
    try {
      queue.clear();
      const running = { pool: this.#pool, queue, memory, overflow: [], limits, client, onProgress, charsets };
      const found = await run(running);
      isReusable = true;
      return found;
    } finally {
      this.#memories.giveBack(memory, isReusable);
      limits.release();
      tidyHeap();
    }
  }

  async #planOptions(where: Place | Dir, query: GrepQuery): Promise<PlanOptions> {
    const { plan: only } = query;
    const refuse = (whyNotRipgrep: string) => ({ ripgrep: false, whyNotRipgrep, only });
    if (!this.#ripgrep) return refuse('ripgrep is switched off');
    if (query.countFiles) return refuse('every file must be counted');
    if (wantsOnlySome(query)) return refuse('only some files are selected');
    if (where instanceof Place && !where.isRoot && where.lstat()?.type === 'file') {
      return refuse('a single file is searched');
    }
    const { path, says } = await ripgrep();
    return path === undefined ? refuse(says) : { ripgrep: true, only };
  }
}

function listTemplate(root: SearchRoot, query: Selection, how: Partial<ListJob>): JobTemplate {
  if (root.file !== undefined) fail({ kind: 'not-a-directory', path: root.shown });
  return {
    kind: 'list',
    root: scanRootOf(root.dir),
    selection: selectionOf(query),
    ignoreBase: root.ignoreBase,
    withheld: root.withheld,
    report: 'all',
    contains: undefined,
    reportDepth: Number.POSITIVE_INFINITY,
    facts: false,
    statistics: false,
    wanted: Number.POSITIVE_INFINITY,
    ...how,
  };
}

/** Refuses a bad glob before any thread starts. */
function checkSelection({ include, exclude, excludedNames }: Selection): void {
  for (const globs of [include, exclude, excludedNames]) if (globs) compileGlobs(globs);
}

/**
 * Whether the globs of a query select the single file it names. Hidden and ignored files count too, because the caller
 * named this one.
 */
function selects({ include, exclude }: Selection, name: string): boolean {
  if (include && !compileGlobs(include).matches(name)) return false;
  return !(exclude && exclude.length > 0 && compileGlobs(exclude).matches(name));
}

/** Refuses very long patterns: the main thread parses the pattern, and that takes time that grows with its length. */
function requireShortPattern(regex: string): void {
  if (regex.length <= LONGEST_PATTERN) return;
  const reason = `it has ${regex.length} characters, the limit is ${LONGEST_PATTERN}`;
  fail({ kind: 'bad-regex', pattern: `${regex.slice(0, 100)}…`, reason });
}

function wantsOnlySome(query: Selection): boolean {
  const lists = [query.include, query.exclude, query.excludedDirectories, query.excludedNames];
  const limited =
    query.hidden === false ||
    query.gitignore === true ||
    query.ignoreFiles === true ||
    query.maxDepth !== undefined;
  return limited || lists.some((list) => list !== undefined && list.length > 0);
}

function ignore(): void {
  // Threads send no batches of a listing: they send all of it when they are done.
}
