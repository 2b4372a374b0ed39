/** One thread's part of a scan of a whole tree: it reports every entry with its type, size and times. */
import { isTemporary } from '../../confine/content/draft-names.ts';
import { absenceOf } from '../../confine/scan/absence.ts';
import { childPath } from '../../confine/scan/child-path.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { namesOf } from '../../confine/scan/listing.ts';
import { EntryPacker, type PackedDirectories, type RawStat } from '../../confine/scan/packed-entries.ts';
import type { ScanOptions } from '../../confine/scan/tree-scanner.ts';
import { limits } from '../../limits.ts';
import { UnitLoop, type UnitQueue } from '../queue/unit-loop.ts';
import { depthOf } from '../walk/depth.ts';

/** Threads share a directory with more names in parts of this size. */
const NAMES_A_PART = 1024;
/** Separates the directory, the number of the part and its names in a unit. No path contains it. */
const SEPARATOR = '\0';

/** The queue of a scan also counts the entries that all threads have seen. */
export interface ScanQueue extends UnitQueue {
  readonly files: number;
  addFile(): void;
  end(): void;
}

export class Scan {
  /** Directories with more than `mostNames` names, which are left to the search threads. */
  readonly tooLarge: string[] = [];
  /** How many entries this thread has seen. */
  files = 0;
  readonly #queue: ScanQueue;
  readonly #cursor: Cursor;
  readonly #options: ScanOptions;
  readonly #notEntered: ReadonlySet<string>;
  readonly #units: UnitLoop;
  readonly #packer = new EntryPacker();
  readonly #mostNames: number | undefined;

  /** `mostNames` is the size of the largest directory to list here. Default: no limit. */
  constructor(
    queue: ScanQueue,
    cursor: Cursor,
    options: ScanOptions,
    overflow: readonly string[],
    mostNames?: number,
  ) {
    this.#queue = queue;
    this.#cursor = cursor;
    this.#options = options;
    this.#mostNames = mostNames;
    this.#notEntered = new Set(options.notEntered);
    this.#units = new UnitLoop(queue, overflow);
  }

  get overflow(): readonly string[] {
    return this.#units.overflow;
  }

  run(): void {
    this.#units.run((unit) => this.#work(unit));
  }

  packed(): PackedDirectories {
    return this.#packer.packed();
  }

  #work(unit: string): void {
    const [directory, part, ...names] = unit.split(SEPARATOR);
    // Skips a directory that is gone, or that may not be read.
    const absence = this.#cursor.goTo(directory!);
    if (absence === 'unreadable') this.#packer.addUnread(directory!);
    if (absence) return;
    if (part !== undefined) this.#entries(directory!, Number(part), names);
    else if (this.#options.countOnly) this.#count(directory!);
    else this.#list(directory!);
  }

  #list(directory: string): void {
    const names = this.#cursor.names(this.#mostNames);
    if (names === 'too-many') this.tooLarge.push(directory);
    if (names === 'unreadable') this.#packer.addUnread(directory);
    if (typeof names === 'string') return;
    const parts: string[] = [];
    for (let at = NAMES_A_PART; at < names.length; at += NAMES_A_PART) {
      const own = names.slice(at, at + NAMES_A_PART);
      parts.push([directory, at / NAMES_A_PART, ...own].join(SEPARATOR));
    }
    this.#units.add(parts);
    this.#entries(directory, 0, names.slice(0, NAMES_A_PART));
  }

  #entries(directory: string, part: number, names: readonly string[]): void {
    let found: string[] = [];
    let links: string[] = [];
    let inner: string[] = [];
    const take = (name: string, stat: RawStat) => {
      if (isTemporary(name, stat.type)) return;
      found.push(name);
      this.#packer.addFacts(stat);
      if (stat.type === 'symlink') links.push(this.#cursor.linkTarget(name) ?? '');
      if (stat.type === 'directory') inner.push(name);
    };
    const restart = () => {
      this.#packer.dropFacts(found.length);
      found = [];
      links = [];
      inner = [];
    };
    try {
      this.#cursor.statEach(names, take, restart);
    } catch (error) {
      absenceOf(error);
      // A directory that may be listed but not entered yields nothing but names.
      this.#packer.addUnread(directory);
      restart();
    }
    this.#packer.addDirectory(directory, part, found, links);
    this.#enter(directory, inner);
    this.#counted(found.length);
  }

  #count(directory: string): void {
    if (this.#mostNames !== undefined && this.#cursor.names(this.#mostNames) === 'too-many') {
      this.tooLarge.push(directory);
      return;
    }
    const listing = this.#cursor.list();
    if (typeof listing === 'string') return;
    this.#enter(directory, namesOf(listing, 'directory'));
    this.#counted(listing.names.length);
  }

  #enter(directory: string, inner: readonly string[]): void {
    if (depthOf(directory) >= limits.treeDepth) return;
    this.#units.add(inner.flatMap((name) => (this.#notEntered.has(name) ? [] : childPath(directory, name))));
  }

  #counted(entries: number): void {
    this.files += entries;
    for (let i = 0; i < entries; i++) this.#queue.addFile();
    if (this.#queue.files > this.#options.mostEntries) this.#queue.end();
  }
}
