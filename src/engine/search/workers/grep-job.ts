/** One thread's part of a content search. */
import type { Charset } from '../../charset/names.ts';
import { absenceOf } from '../../confine/scan/absence.ts';
import { childPath } from '../../confine/scan/child-path.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { closeFile } from '../../confine/scan/open-file.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { NotAFile } from '../match/file-text.ts';
import { ContentSearch, type FileOutcome } from '../match/search-file.ts';
import { charactersOf } from '../query.ts';
import { FirstByPath } from '../queue/first-by-path.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { KnownFiles } from '../signatures/known-files.ts';
import { charsetsBelow, type ListedCharsets } from '../walk/charsets-below.ts';
import type { Visitor } from '../walk/walk.ts';
import type { FoundFile, GrepJob } from './jobs.ts';

/** A thread sends what it found in batches of about this many lines. */
const LINES_A_BATCH = 512;

export class GrepVisitor implements Visitor {
  files = 0;
  matches = 0;
  readonly unreadable: string[] = [];
  readonly longLines: string[] = [];
  readonly #queue: WorkQueue;
  readonly #cursor: Cursor;
  readonly #content: ContentSearch;
  readonly #charsets: ListedCharsets | undefined;
  readonly #known: KnownFiles | undefined;
  readonly #wanted: number;
  readonly #summary: GrepJob['summary'];
  readonly #countAll: boolean;
  readonly #skip: number;
  readonly #countFiles: boolean;
  readonly #candidates: ReadonlySet<string> | undefined;
  readonly #send: (files: FoundFile[]) => void;
  /** What this thread found. Its bound often rules out paths before the main thread sets the bound of the queue. */
  readonly #first: FirstByPath<undefined>;
  #batch: FoundFile[] = [];
  #batchLines = 0;

  constructor(
    job: GrepJob,
    queue: WorkQueue,
    cursor: Cursor,
    kernel: Kernel,
    known: KnownFiles | undefined,
    send: (files: FoundFile[]) => void,
  ) {
    this.#queue = queue;
    this.#cursor = cursor;
    this.#known = known;
    this.#content = new ContentSearch(kernel, job.matcher, job.options);
    this.#charsets = job.charsets && charsetsBelow(job.charsets, cursor, job.withheld);
    this.#wanted = job.wanted;
    this.#summary = job.summary;
    this.#countAll = job.options.countAll;
    this.#skip = job.options.skip ?? 0;
    this.#countFiles = job.countFiles;
    this.#candidates = job.candidates && new Set(job.candidates);
    this.#send = send;
    this.#first = new FirstByPath(job.wanted, job.options.maxCharacters);
  }

  isBeyond(path: string): boolean {
    return !this.#searchesAll && this.#isUnwanted(path);
  }

  /** Whether to search files even if the search does not need their matches. */
  get #searchesAll(): boolean {
    return this.#countAll || this.#countFiles;
  }

  listed(directory: string, names: readonly string[]): void {
    this.#charsets?.listed(directory, names);
  }

  file(directory: string, name: string): void {
    const path = childPath(directory, name);
    if (this.#candidates && !this.#candidates.has(path)) return;
    const isWanted = !this.#isUnwanted(path);
    if (!isWanted && !this.#searchesAll) return;
    const declared = this.#declaredFor(directory, name);
    const key = this.#known?.keyOf(directory, name);
    if (key !== undefined && this.#cannotMatch(key, name, declared)) return;
    const fd = this.#cursor.open(name);
    if (typeof fd === 'string') {
      if (fd === 'unreadable') this.unreadable.push(path);
      return;
    }
    try {
      const outcome = this.#content.search(fd, isWanted ? this.#wantedOfFile : 0, declared);
      this.#take(path, outcome, isWanted);
      if (key !== undefined) this.#remember(key, fd, outcome, declared);
    } catch (error) {
      if (!(error instanceof NotAFile) && absenceOf(error) === 'unreadable') this.unreadable.push(path);
    } finally {
      closeFile(fd);
    }
  }

  /** Whether an earlier search has shown that the file cannot match. If so, counts it as searched. */
  #cannotMatch(key: number, name: string, declared: Charset | undefined): boolean {
    const knowledge = this.#known!.lookUp(key, name);
    // With a declared encoding, a file that was binary may be text.
    if (knowledge === 'unknown' || (knowledge === 'binary' && declared !== undefined)) return false;
    if (knowledge === 'text') this.#countFile();
    return true;
  }

  #remember(key: number, fd: number, { text }: FileOutcome, declared: Charset | undefined): void {
    if (text) this.#known!.learn(key, fd, this.#content.whole ?? 'part');
    if (!text && declared === undefined) this.#known!.learn(key, fd, 'binary');
  }

  #countFile(): void {
    this.files++;
    this.#queue.addFile();
  }

  /** How many matching lines of one file the search wants to collect. */
  get #wantedOfFile(): number {
    if (this.#summary === undefined) return this.#wanted;
    return this.#summary === 'files' ? 1 : 0;
  }

  #declaredFor(directory: string, name: string): Charset | undefined {
    const declared = this.#charsets?.of(directory, name);
    // Reading an .editorconfig may have moved the cursor.
    if (this.#charsets) this.#cursor.goTo(directory);
    return declared;
  }

  flush(): void {
    if (this.#batch.length > 0) this.#send(this.#batch);
    this.#batch = [];
    this.#batchLines = 0;
  }

  #isUnwanted(path: string): boolean {
    const { bound } = this.#first;
    return (bound !== undefined && path > bound) || this.#queue.isBeyondBound(path);
  }

  #take(path: string, outcome: FileOutcome, isWanted: boolean): void {
    if (!outcome.text) return;
    this.#countFile();
    for (let i = 0; i < outcome.longLines; i++) this.longLines.push(path);
    if (outcome.matches === 0) return;
    this.matches += outcome.matches;
    this.#queue.addMatches(outcome.matches);
    if (!isWanted || (!this.#summary && outcome.lines.length === 0)) return;
    const lines = this.#summary ? [] : outcome.lines;
    const left = outcome.matches - (this.#summary ? 0 : this.#skip);
    const shown = this.#summary ? left : Math.min(left, this.#wanted);
    const wasOpen = this.#first.bound === undefined;
    const characters = charactersOf(path, lines);
    this.#first.add(path, this.#summary ? 1 : shown, undefined, characters);
    this.#batch.push({ path, matches: shown, lines, characters });
    this.#batchLines += Math.max(1, lines.length);
    const enough = wasOpen && this.#first.bound !== undefined;
    if (enough || this.#batchLines >= LINES_A_BATCH) this.flush();
  }
}

/** The directories to enter: those that contain candidates, and those that ripgrep could not read. */
export function directoriesOf(candidates: readonly string[]): ReadonlySet<string> {
  const directories = new Set<string>(candidates);
  for (const path of candidates) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const directory = path.slice(0, at);
      directories.add(directory);
    }
  }
  return directories;
}
