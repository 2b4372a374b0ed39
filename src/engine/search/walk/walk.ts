/** One thread's part of walking a tree: it takes units from the shared queue and adds the directories that it finds. */
import { childPath } from '../../confine/scan/child-path.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { type Listing, namesOf } from '../../confine/scan/listing.ts';
import { WithheldBelow, type WithheldScope } from '../../confine/withheld/withheld-below.ts';
import type { EntryType } from '../../failures.ts';
import { directoryOfUnit, FILES_A_UNIT, fileUnit, fileUnits, namesOfUnit } from '../queue/file-unit.ts';
import { UnitLoop } from '../queue/unit-loop.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { depthOf } from './depth.ts';
import type { Selector } from './selector.ts';

/** What a walk calls for what it finds. */
export interface Visitor {
  /** Whether the search needs nothing more from a directory, given as `path/`. */
  isBeyond(path: string): boolean;
  /** Called first for each directory, with all names in it, including those that the selector leaves out. */
  listed?(directory: string, names: readonly string[]): void;
  /** Called with the entries of a directory that the selector takes, including directories that the walk enters. */
  entries?(directory: string, names: readonly string[], types: readonly EntryType[]): void;
  /** Called for each file, while the cursor is at its directory. */
  file?(directory: string, name: string): void;
}

export interface WalkOptions {
  /** Units that the queue had no room for. */
  overflow?: readonly string[];
  /** The only directories to enter. Default: all that the selector takes. */
  only?: ReadonlySet<string> | undefined;
  /** What the owner of the server denies or hides. */
  withheld?: WithheldScope | undefined;
}

export class TreeWalk {
  /** Paths of directories that may not be read. */
  readonly unreadable: string[] = [];
  readonly #queue: WorkQueue;
  readonly #cursor: Cursor;
  readonly #selector: Selector;
  readonly #visitor: Visitor;
  /** The only directories to enter, if they are known. */
  readonly #only: ReadonlySet<string> | undefined;
  /** What the owner of the server denies or hides. */
  readonly #withheld: WithheldBelow | undefined;
  readonly #units: UnitLoop;

  constructor(
    queue: WorkQueue,
    cursor: Cursor,
    selector: Selector,
    visitor: Visitor,
    { overflow = [], only, withheld }: WalkOptions = {},
  ) {
    this.#only = only;
    this.#withheld = withheld && new WithheldBelow(withheld, cursor);
    this.#units = new UnitLoop(queue, overflow);
    this.#queue = queue;
    this.#cursor = cursor;
    this.#selector = selector;
    this.#visitor = visitor;
  }

  /** Units that were left when the work was ended, and that did not fit into the queue. */
  get overflow(): readonly string[] {
    return this.#units.overflow;
  }

  /** Works until no unit is left or the work is ended. */
  run(): void {
    this.#units.run((unit) => this.#work(unit));
  }

  #work(unit: string): void {
    const directory = directoryOfUnit(unit);
    if (directory !== '' && this.#visitor.isBeyond(`${directory}/`)) return;
    const absence = this.#cursor.goTo(directory);
    if (absence) {
      if (absence === 'unreadable') this.unreadable.push(directory);
      return;
    }
    const names = namesOfUnit(unit);
    if (names === undefined) this.#list(directory);
    else this.#files(directory, names);
  }

  #list(directory: string): void {
    const found = this.#cursor.list();
    if (typeof found === 'string') {
      if (found === 'unreadable') this.unreadable.push(directory);
      return;
    }
    const { listing, denied } = this.#withheld?.serve(directory, found) ?? { listing: found };
    this.#visitor.listed?.(directory, listing.names);
    const taken = this.#selector.select(directory, listing);
    const opened = denied === undefined || denied.size === 0 ? taken : without(taken, denied);
    this.#units.add(this.#inner(directory, opened));
    // Reading ignore files may have moved the cursor.
    if (this.#cursor.goTo(directory)) return;
    this.#visitor.entries?.(directory, taken.names, taken.types);
    if (this.#visitor.file) this.#files(directory, namesOf(opened, 'file'));
  }

  /** The paths of the inner directories that the walk enters. */
  #inner(directory: string, taken: Listing): string[] {
    const { maxDepth } = this.#selector;
    if (maxDepth !== Number.POSITIVE_INFINITY && depthOf(directory) + 1 >= maxDepth) return [];
    const paths = namesOf(taken, 'directory').map((name) => childPath(directory, name));
    return this.#only ? paths.filter((path) => this.#only!.has(path)) : paths;
  }

  /** Visits the first files itself and queues the rest for all threads. */
  #files(directory: string, names: readonly string[]): void {
    this.#units.add(fileUnits(directory, names, FILES_A_UNIT));
    let end = Math.min(names.length, FILES_A_UNIT);
    for (let i = 0; i < end; i++) {
      if (this.#queue.isOver) {
        this.#units.add([fileUnit(directory, names.slice(i, end))]);
        return;
      }
      if (end - i > 1 && this.#queue.hasIdleThread) {
        const half = i + Math.ceil((end - i) / 2);
        this.#units.add([fileUnit(directory, names.slice(half, end))]);
        end = half;
      }
      this.#visitor.file!(directory, names[i]!);
    }
  }
}

/** The listing without some names. */
function without({ names, types }: Listing, left: ReadonlySet<string>): Listing {
  return {
    names: names.filter((name) => !left.has(name)),
    types: types.filter((_, index) => !left.has(names[index]!)),
  };
}
