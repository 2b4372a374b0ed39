/**
 * Finds the sockets and FIFOs in read-only roots, so that bubblewrap masks them. A read-only mount stops neither a
 * connection nor a write to a FIFO, and the program at the other end may do what the command must not.
 */
import { type Dirent, promises } from 'node:fs';
import { join } from 'node:path';

export interface IpcEndpoints {
  paths: readonly string[];
  /** The first root in which the search may have missed endpoints or found some that cannot be masked. */
  incomplete?: string;
}

interface SearchedRoot {
  path: string;
  writable: boolean;
}

/** Every command waits for the search, so it stops after this many entries. It searches the upper directories first. */
export const MAX_SEARCHED_ENTRIES = 20_000;
/** Each masked endpoint is a mount. With many more, a command could not start. */
const MAX_MASKED = 300;
const OPEN_DIRECTORIES = 8;
/** Replaces bytes that are not UTF-8 in a name. No argument of bubblewrap can name such a path. */
const REPLACEMENT = '\uFFFD';

export async function findIpcEndpoints(
  roots: readonly SearchedRoot[],
  signal: AbortSignal | undefined,
  maxEntries = MAX_SEARCHED_ENTRIES,
): Promise<IpcEndpoints> {
  const search = new EndpointSearch(new Set(roots.map(({ path }) => path)), signal, maxEntries);
  let incomplete: string | undefined;
  for (const { path, writable } of roots) {
    if (!writable && !(await search.below(path))) incomplete ??= path;
  }
  return { paths: search.found, ...(incomplete !== undefined && { incomplete }) };
}

class EndpointSearch {
  readonly found: string[] = [];
  readonly #roots: ReadonlySet<string>;
  readonly #signal: AbortSignal | undefined;
  #entriesLeft: number;
  #complete = true;

  constructor(roots: ReadonlySet<string>, signal: AbortSignal | undefined, maxEntries: number) {
    this.#roots = roots;
    this.#signal = signal;
    this.#entriesLeft = maxEntries;
  }

  /** Searches a root without the other roots inside it. Returns whether it found everything. */
  async below(root: string): Promise<boolean> {
    this.#complete = true;
    let level = [root];
    while (level.length > 0 && this.#entriesLeft > 0) {
      const batch = level.splice(0, OPEN_DIRECTORIES);
      const inner = await Promise.all(batch.map((directory) => this.#search(directory)));
      level = [...level, ...inner.flat()];
    }
    return this.#complete && level.length === 0;
  }

  /** Searches one directory, and returns the directories in it. */
  async #search(directory: string): Promise<string[]> {
    const inner: string[] = [];
    try {
      for await (const entry of await promises.opendir(directory, { bufferSize: 256 })) {
        if (this.#signal?.aborted) return [];
        if (this.#entriesLeft-- <= 0) {
          this.#complete = false;
          return [];
        }
        this.#take(entry, directory, inner);
      }
    } catch {
      // The command has the same rights as the server: neither can list this directory.
    }
    return inner;
  }

  #take(entry: Dirent, directory: string, inner: string[]): void {
    const isEndpoint = entry.isSocket() || entry.isFIFO();
    if (!isEndpoint && !entry.isDirectory()) return;
    const path = join(directory, entry.name);
    if (entry.name.includes(REPLACEMENT) || (isEndpoint && this.found.length >= MAX_MASKED)) {
      this.#complete = false;
    } else if (isEndpoint) this.found.push(path);
    else if (!this.#roots.has(path)) inner.push(path);
  }
}
