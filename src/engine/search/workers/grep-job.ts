/** One thread's part of a content search. */
import type { Charset } from '../../charset/names.ts';
import { absenceOf, type Cursor, closeFile } from '../../confine/scan/cursor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { NotAFile } from '../match/file-text.ts';
import { charactersOf } from '../match/line-size.ts';
import { ContentSearch, type FileOutcome } from '../match/search-file.ts';
import { FirstByPath } from '../queue/first-by-path.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { charsetsBelow, type ListedCharsets } from '../walk/charsets-below.ts';
import { joined } from '../walk/ignore-rules.ts';
import type { Visitor } from '../walk/walk.ts';
import type { FoundFile, GrepJob } from './jobs.ts';

/** A thread sends what it found in batches of about so many lines. */
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
  readonly #wanted: number;
  readonly #summary: GrepJob['summary'];
  readonly #countAll: boolean;
  readonly #countFiles: boolean;
  readonly #candidates: ReadonlySet<string> | undefined;
  readonly #send: (files: FoundFile[]) => void;
  /** What this thread found: by that it knows what the search cannot want any more, before the main thread says so. */
  readonly #first: FirstByPath<undefined>;
  #batch: FoundFile[] = [];
  #batchLines = 0;

  constructor(
    job: GrepJob,
    queue: WorkQueue,
    cursor: Cursor,
    kernel: Kernel,
    send: (files: FoundFile[]) => void,
  ) {
    this.#queue = queue;
    this.#cursor = cursor;
    this.#content = new ContentSearch(kernel, job.matcher, job.options);
    this.#charsets = job.charsets && charsetsBelow(job.charsets, cursor, job.withheld);
    this.#wanted = job.wanted;
    this.#summary = job.summary;
    this.#countAll = job.options.countAll;
    this.#countFiles = job.countFiles;
    this.#candidates = job.candidates && new Set(job.candidates);
    this.#send = send;
    this.#first = new FirstByPath(job.wanted, job.options.maxCharacters);
  }

  isBeyond(path: string): boolean {
    return !this.#searchesAll && this.#isUnwanted(path);
  }

  /** Whether to search files although the search wants no matches of them. */
  get #searchesAll(): boolean {
    return this.#countAll || this.#countFiles;
  }

  listed(directory: string, names: readonly string[]): void {
    this.#charsets?.listed(directory, names);
  }

  file(directory: string, name: string): void {
    const path = joined(directory, name);
    if (this.#candidates && !this.#candidates.has(path)) return;
    const isWanted = !this.#isUnwanted(path);
    if (!isWanted && !this.#searchesAll) return;
    const declared = this.#declaredFor(directory, name);
    const fd = this.#cursor.open(name);
    if (typeof fd === 'string') {
      if (fd === 'unreadable') this.unreadable.push(path);
      return;
    }
    try {
      this.#take(path, this.#content.search(fd, isWanted ? this.#wantedOfFile : 0, declared), isWanted);
    } catch (error) {
      if (!(error instanceof NotAFile) && absenceOf(error) === 'unreadable') this.unreadable.push(path);
    } finally {
      closeFile(fd);
    }
  }

  /** How many matching lines of one file the search wants to see. */
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
    this.files++;
    this.#queue.addFile();
    for (let i = 0; i < outcome.longLines; i++) this.longLines.push(path);
    if (outcome.matches === 0) return;
    this.matches += outcome.matches;
    this.#queue.addMatches(outcome.matches);
    if (!isWanted || (!this.#summary && outcome.lines.length === 0)) return;
    const lines = this.#summary ? [] : outcome.lines;
    const shown = this.#summary ? outcome.matches : Math.min(outcome.matches, this.#wanted);
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
