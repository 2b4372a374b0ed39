/** One thread's part of a look at a whole tree: every entry with what the system says of it. */
import { isTemporary } from '../../confine/content/drafts.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { EntryPacker, type EntryStat, type PackedDirectories } from '../../confine/scan/packed-entries.ts';
import type { LookOptions } from '../../confine/scan/tree-scanner.ts';
import { limits } from '../../limits.ts';
import { UnitLoop, type UnitQueue } from '../queue/unit-loop.ts';
import { joined } from '../walk/selector.ts';

/** Larger directories are shared out in parts. */
const NAMES_A_PART = 1024;
/** Between a directory, the number of a part and its names: no path contains it. */
const SEPARATOR = '\0';

/** The queue of a look also counts the entries that all threads have seen. */
export interface LookQueue extends UnitQueue {
  readonly files: number;
  addFile(): void;
  end(): void;
}

export class Look {
  /** How many entries this thread has seen. */
  files = 0;
  readonly #queue: LookQueue;
  readonly #cursor: Cursor;
  readonly #options: LookOptions;
  readonly #notEntered: ReadonlySet<string>;
  readonly #units: UnitLoop;
  readonly #packer = new EntryPacker();

  constructor(queue: LookQueue, cursor: Cursor, options: LookOptions, overflow: readonly string[]) {
    this.#queue = queue;
    this.#cursor = cursor;
    this.#options = options;
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
    // What is gone or may not be read is not looked through.
    if (this.#cursor.goTo(directory!)) return;
    if (part === undefined) this.#list(directory!);
    else this.#entries(directory!, Number(part), names);
  }

  #list(directory: string): void {
    const listing = this.#cursor.list();
    if (typeof listing === 'string') return;
    const { names, types } = listing;
    const enters = depthOf(directory) < limits.treeDepth;
    const inner = names.flatMap((name, index) =>
      enters && types[index] === 'directory' && !this.#notEntered.has(name) ? joined(directory, name) : [],
    );
    const parts: string[] = [];
    for (let at = NAMES_A_PART; at < names.length; at += NAMES_A_PART) {
      const own = names.slice(at, at + NAMES_A_PART);
      parts.push([directory, at / NAMES_A_PART, ...own].join(SEPARATOR));
    }
    this.#units.add([...parts, ...inner]);
    this.#entries(directory, 0, names.slice(0, NAMES_A_PART));
  }

  #entries(directory: string, part: number, names: readonly string[]): void {
    const found: [string, EntryStat][] = [];
    for (const name of names) {
      const stat = this.#options.countOnly ? undefined : this.#cursor.stat(name);
      if (stat && isTemporary(name, stat.type)) continue;
      if (!stat && !this.#options.countOnly) continue;
      this.#queue.addFile();
      this.files++;
      if (stat) found.push([name, stat]);
    }
    if (this.#queue.files > this.#options.mostEntries) this.#queue.end();
    this.#packer.add(directory, part, found, (name) => this.#cursor.linkTarget(name) ?? '');
  }
}

/** How many levels below the start a directory is. */
function depthOf(directory: string): number {
  return directory === '' ? 0 : directory.split('/').length;
}
