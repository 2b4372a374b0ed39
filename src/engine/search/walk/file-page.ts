/**
 * Lists one page of the files below a directory, in the order of their paths. It reads the directories on the way to
 * where the last page ended, and as many after it as it takes to fill the page, but never the whole tree.
 */
import { childPath } from '../../confine/scan/child-path.ts';
import { type Cursor, openCursor, scanRootOf } from '../../confine/scan/cursor.ts';
import type { Listing } from '../../confine/scan/listing.ts';
import { ListingCache } from '../../confine/scan/listing-cache.ts';
import { rawOf, textOf } from '../../confine/scan/raw-names.ts';
import { WithheldBelow } from '../../confine/withheld/withheld-below.ts';
import { ITEMS_PER_CHECK, sortedInTurns, Yielder } from '../../event-loop.ts';
import { limits } from '../../limits.ts';
import { ignoreFileNames, ignoreFileReader } from './ignore-files.ts';
import type { SearchRoot } from './search-root.ts';
import { Selector } from './selector.ts';

export interface FilePageQuery {
  /** The path of the last file of the previous page. Default: the page starts at the beginning. */
  after?: string | undefined;
  max: number;
  /** Directories to leave out with everything in them. */
  without?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface FilePage {
  /** Paths relative to the directory, sorted byte by byte. Links and names that are not UTF-8 are left out. */
  files: string[];
  /** Whether another page follows. */
  more: boolean;
}

/** As in searches of files, what ignore files name is left out, and so is `.git`. */
export const PAGED = { ignoreFiles: true } as const;
const IGNORE_FILES = ignoreFileNames(PAGED);

/** Pages follow each other, and most directories on the way do not change in between. */
const remembered = new ListingCache();
/** The files of a directory, and its directories with a slash after the name, in the order of their paths. */
const ordered = new WeakMap<Listing, readonly string[]>();

export async function filePage(root: SearchRoot, query: FilePageQuery): Promise<FilePage> {
  const cursor = openCursor(scanRootOf(root.dir), remembered);
  const ignoreFiles = openCursor(scanRootOf(root.dir));
  try {
    const selector = new Selector(PAGED, root.ignoreBase, ignoreFileReader(ignoreFiles));
    const withheld = root.withheld && new WithheldBelow(root.withheld, cursor);
    const page = new PageCollector(cursor, selector, withheld, query);
    await page.add('', 1);
    return { files: page.files.slice(0, query.max), more: page.files.length > query.max };
  } finally {
    cursor.close();
    ignoreFiles.close();
  }
}

class PageCollector {
  readonly files: string[] = [];
  readonly #cursor: Cursor;
  readonly #selector: Selector;
  /** What the owner of the server denies or hides. */
  readonly #withheld: WithheldBelow | undefined;
  readonly #after: string | undefined;
  readonly #max: number;
  readonly #without: ReadonlySet<string>;
  readonly #yielder: Yielder;

  constructor(
    cursor: Cursor,
    selector: Selector,
    withheld: WithheldBelow | undefined,
    { after, max, without = [], signal }: FilePageQuery,
  ) {
    this.#cursor = cursor;
    this.#selector = selector;
    this.#withheld = withheld;
    this.#after = after === undefined ? undefined : rawOf(after);
    this.#max = max;
    this.#without = new Set(without.map(rawOf));
    this.#yielder = new Yielder(signal);
  }

  /** Adds the files below a directory. False when the page is full and one more file was found. */
  async add(directory: string, level: number): Promise<boolean> {
    await this.#yielder.pause();
    if (level > limits.treeDepth || this.#cursor.goTo(directory)) return true;
    const found = await this.#cursor.listInTurns(() => this.#yielder.pause());
    if (typeof found === 'string') return true;
    const pause = () => this.#yielder.pause();
    const { listing, denied } = (await this.#withheld?.serveInTurns(directory, found, pause)) ?? {
      listing: found,
    };
    const entries = await inPathOrder(listing, this.#yielder);
    const rules = IGNORE_FILES.filter((name) => listing.names.includes(name));
    this.#selector.open(directory, rules);
    for (let at = this.#startIn(directory, entries); at < entries.length; at++) {
      if (at % ITEMS_PER_CHECK === 0) await this.#yielder.pause();
      const entry = entries[at]!;
      if (!entry.endsWith('/')) {
        if (!this.#addFile(directory, entry)) return false;
        continue;
      }
      const name = entry.slice(0, -1);
      const inner = childPath(directory, name);
      if (denied?.has(name) || this.#without.has(inner) || !this.#selector.enters(directory, name)) continue;
      if (!(await this.add(inner, level + 1))) return false;
      // The inner directory has set its own rules.
      this.#selector.open(directory, rules);
    }
    return true;
  }

  #addFile(directory: string, name: string): boolean {
    if (!this.#selector.takes(directory, name)) return true;
    const raw = childPath(directory, name);
    const path = textOf(raw);
    if (rawOf(path) !== raw) return true;
    this.files.push(path);
    return this.files.length <= this.#max;
  }

  /** The index of the first entry that may have files after the last page. */
  #startIn(directory: string, entries: readonly string[]): number {
    const prefix = directory === '' ? '' : `${directory}/`;
    if (!this.#after?.startsWith(prefix)) return 0;
    const rest = this.#after.slice(prefix.length);
    let from = 0;
    let to = entries.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (entries[middle]! <= rest) from = middle + 1;
      else to = middle;
    }
    const before = entries[from - 1];
    return before?.endsWith('/') && rest.startsWith(before) ? from - 1 : from;
  }
}

async function inPathOrder(listing: Listing, yielder: Yielder): Promise<readonly string[]> {
  const known = ordered.get(listing);
  if (known) return known;
  const entries: string[] = [];
  for (const [index, name] of listing.names.entries()) {
    const type = listing.types[index];
    if (type === 'directory') entries.push(`${name}/`);
    else if (type === 'file') entries.push(name);
  }
  const sorted = await sortedInTurns(entries, yielder, (a, b) => (a < b ? -1 : 1));
  ordered.set(listing, sorted);
  return sorted;
}
