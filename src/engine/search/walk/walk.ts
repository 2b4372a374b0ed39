/** One thread's part in walking a tree: takes units from the shared queue, adds what it finds below. */
import type { Cursor } from '../../confine/scan/cursor.ts';
import { type Listing, namesOf } from '../../confine/scan/listing.ts';
import type { EntryType } from '../../failures.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { joined, type Selector } from './selector.ts';

/** As many files as one thread takes at a time. */
const FILES_A_UNIT = 64;
/** Between a directory and the names in a unit: no path holds it. */
const SEPARATOR = '\0';

export interface Visitor {
  /** Whether nothing in a directory, given as `path/`, can be wanted any more. */
  isBeyond(path: string): boolean;
  /** The entries of a directory that the selector takes: all types but directories that are not entered. */
  entries?(directory: string, names: readonly string[], types: readonly EntryType[]): void;
  /** A file of the directory that the cursor is at. */
  file?(directory: string, name: string): void;
}

export function fileUnit(directory: string, names: readonly string[]): string {
  return [directory, ...names].join(SEPARATOR);
}

export class Walk {
  /** Paths of files and directories that may not be read. */
  readonly unreadable: string[] = [];
  readonly #queue: WorkQueue;
  readonly #cursor: Cursor;
  readonly #selector: Selector;
  readonly #visitor: Visitor;
  /** The only directories that are entered, when they are known. */
  readonly #only: ReadonlySet<string> | undefined;
  /** Units that the shared queue had no room for. */
  #own: string[] = [];

  constructor(
    queue: WorkQueue,
    cursor: Cursor,
    selector: Selector,
    visitor: Visitor,
    { own = [], only }: { own?: readonly string[]; only?: ReadonlySet<string> | undefined } = {},
  ) {
    this.#only = only;
    this.#own = [...own];
    this.#queue = queue;
    this.#cursor = cursor;
    this.#selector = selector;
    this.#visitor = visitor;
  }

  /** What was not done when the work was ended, and did not fit into the queue. */
  get left(): readonly string[] {
    return this.#own;
  }

  /** Works until nothing is left or the work was ended; what is left then goes back to the queue. */
  run(): void {
    for (;;) {
      const unit = this.#queue.over ? undefined : (this.#own.pop() ?? this.#queue.take());
      if (unit === undefined) break;
      this.#work(unit);
    }
    this.#own = [...this.#queue.push(this.#own.reverse())].reverse();
  }

  #work(unit: string): void {
    const separator = unit.indexOf(SEPARATOR);
    const directory = separator < 0 ? unit : unit.slice(0, separator);
    if (directory !== '' && this.#visitor.isBeyond(`${directory}/`)) return;
    const absence = this.#cursor.goTo(directory);
    if (absence) {
      if (absence === 'unreadable') this.unreadable.push(directory);
      return;
    }
    if (separator < 0) this.#list(directory);
    else this.#files(directory, unit.slice(separator + 1).split(SEPARATOR));
  }

  #list(directory: string): void {
    const listing = this.#cursor.list();
    if (typeof listing === 'string') {
      if (listing === 'unreadable') this.unreadable.push(directory);
      return;
    }
    const taken = this.#selector.takesAll ? listing : this.#select(directory, listing);
    this.#add(this.#inner(directory, taken));
    // Reading ignore files may have moved the cursor.
    if (this.#cursor.goTo(directory)) return;
    this.#visitor.entries?.(directory, taken.names, taken.types);
    if (this.#visitor.file) this.#files(directory, namesOf(taken, 'file'));
  }

  #select(directory: string, listing: Listing): Listing {
    const names: string[] = [];
    const types: EntryType[] = [];
    this.#selector.open(directory, listing.names);
    listing.names.forEach((name, index) => {
      const type = listing.types[index]!;
      const taken =
        type === 'directory' ? this.#selector.enters(directory, name) : this.#selector.takes(directory, name);
      if (!taken) return;
      names.push(name);
      types.push(type);
    });
    return { names, types };
  }

  /** The directories in it that are entered. */
  #inner(directory: string, taken: Listing): string[] {
    const { maxDepth } = this.#selector;
    if (maxDepth !== Number.POSITIVE_INFINITY && depthIn(directory) >= maxDepth) return [];
    const paths = namesOf(taken, 'directory').map((name) => joined(directory, name));
    return this.#only ? paths.filter((path) => this.#only!.has(path)) : paths;
  }

  /** The first part at once; of many files, the rest is there for all threads. */
  #files(directory: string, names: readonly string[]): void {
    const units: string[] = [];
    for (let at = FILES_A_UNIT; at < names.length; at += FILES_A_UNIT) {
      units.push(fileUnit(directory, names.slice(at, at + FILES_A_UNIT)));
    }
    this.#add(units);
    let end = Math.min(names.length, FILES_A_UNIT);
    for (let i = 0; i < end; i++) {
      if (this.#queue.over) {
        this.#add([fileUnit(directory, names.slice(i, end))]);
        return;
      }
      if (end - i > 1 && this.#queue.isWaitedFor) {
        const half = i + Math.ceil((end - i) / 2);
        this.#add([fileUnit(directory, names.slice(half, end))]);
        end = half;
      }
      this.#visitor.file!(directory, names[i]!);
    }
  }

  #add(units: readonly string[]): void {
    const left = this.#queue.push(units);
    if (left.length > 0) this.#own.push(...[...left].reverse());
  }
}

/** How many levels below the start the entries of a directory are. */
function depthIn(directory: string): number {
  return directory === '' ? 1 : directory.split('/').length + 1;
}
