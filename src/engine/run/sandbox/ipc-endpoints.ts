/**
 * Finds the sockets and FIFOs in read-only roots, for bubblewrap to mask: a read-only mount stops neither a connection
 * nor a write to a FIFO, and the program at the other end may do what the command must not.
 */
import { type Dirent, promises } from 'node:fs';
import { join } from 'node:path';

export interface IpcEndpoints {
  paths: readonly string[];
  /** The first root that holds endpoints which the search did not find or cannot mask; undefined for none. */
  incomplete?: string;
}

interface SearchedRoot {
  path: string;
  writable: boolean;
}

/** Every command waits for the search, so it ends here. It looks at the upper directories first. */
export const MAX_SEARCHED_ENTRIES = 20_000;
/** Each endpoint is a mount: with many more, a command could not start. */
const MAX_MASKED = 300;
const OPEN_DIRECTORIES = 8;
/** Stands for bytes that are not UTF-8. No argument of bubblewrap can name such a path. */
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

  /** Whether it found everything below this root, without the other roots in it. */
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

  /** The directories in this one. */
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
      // The server has the rights of the command: neither can enter the directory.
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
