/**
 * Applies the rules of the ignore files between the top of the repository and a directory to the entries of the
 * directory.
 *
 * Every search reads the ignore files again. If their texts are the same as in the last search and a directory has not
 * changed, the entries that they leave are the same too, and come from memory.
 */
import { childPath } from '../../confine/scan/child-path.ts';
import type { Listing } from '../../confine/scan/listing.ts';
import type { EntryType } from '../../failures.ts';
import { type IgnoreBase, IgnoreChain } from '../../glob/gitignore.ts';
import type { ReadIgnoreFile } from './ignore-files.ts';

/** How many directories' ignore rules to remember. */
const MOST_CHAINS = 4096;
/** In characters: how much text of ignore files to remember rules for, from search to search. */
const MOST_TEXT: number = 1 << 18;

/** What the rules of a directory left of its listing. */
interface Selected {
  by: IgnoreChain;
  /** The path of the directory, relative to the top of the repository. */
  path: string;
  left: Listing;
}

/** The key is the listing: a directory that has not changed has the same one. */
const selected = new WeakMap<Listing, Selected>();

let known = new WeakMap<IgnoreChain, Map<string, IgnoreChain>>();
let knownText = 0;

/** Returns the same rules as the last time if the same directory has the same text. */
function childOf(chain: IgnoreChain, directory: string, text: string): IgnoreChain {
  const key = `${directory}\0${text}`;
  const found = known.get(chain)?.get(key);
  if (found) return found;
  if (knownText + key.length > MOST_TEXT) {
    known = new WeakMap();
    knownText = 0;
  }
  const children = known.get(chain) ?? new Map<string, IgnoreChain>();
  const child = chain.child(directory, text);
  known.set(chain, children.set(key, child));
  knownText += key.length;
  return child;
}

export class IgnoreRules {
  readonly #prefix: string;
  readonly #fileNames: readonly string[];
  readonly #top: IgnoreChain;
  readonly #readIgnoreFile: ReadIgnoreFile;
  readonly #chains = new Map<string, IgnoreChain>();
  #current: IgnoreChain;

  constructor({ prefix, files }: IgnoreBase, fileNames: readonly string[], readIgnoreFile: ReadIgnoreFile) {
    this.#prefix = prefix;
    this.#fileNames = fileNames;
    this.#readIgnoreFile = readIgnoreFile;
    this.#top = files.reduce(
      (chain, { directory, text }) => childOf(chain, directory, text),
      IgnoreChain.empty,
    );
    this.#current = this.#top;
  }

  open(directory: string, names: readonly string[]): void {
    const hasOwn = this.#fileNames.some((name) => names.includes(name));
    this.#current = this.#chainOf(directory, hasOwn);
  }

  /** Ignores `.git` too, which git itself never lists. */
  ignores(parent: string, name: string, isDirectory: boolean): boolean {
    if (isDirectory && name === '.git') return true;
    return this.#current.ignores(this.#prefix + childPath(parent, name), isDirectory);
  }

  /** Opens a directory and returns the entries that the rules do not ignore. */
  select(directory: string, listing: Listing): Listing {
    this.open(directory, listing.names);
    const path = this.#prefix + directory;
    const before = selected.get(listing);
    if (before?.by === this.#current && before.path === path) return before.left;
    const left = filtered(listing, (name, type) => !this.ignores(directory, name, type === 'directory'));
    selected.set(listing, { by: this.#current, path, left });
    return left;
  }

  /** The rules of a directory come after those of its parent and overrule them. */
  #chainOf(directory: string, mayHaveOwn: boolean): IgnoreChain {
    const opened = this.#chains.get(directory);
    if (opened) return opened;
    const above = directory === '' ? this.#top : this.#chainOf(parentOf(directory), true);
    const text = mayHaveOwn ? this.#readIgnoreFile(directory, this.#fileNames) : undefined;
    const chain =
      text === undefined ? above : childOf(above, (this.#prefix + directory).replace(/\/$/, ''), text);
    if (this.#chains.size >= MOST_CHAINS) this.#chains.clear();
    this.#chains.set(directory, chain);
    return chain;
  }
}

/** Returns the listing itself if nothing is left out. */
export function filtered(listing: Listing, isTaken: (name: string, type: EntryType) => boolean): Listing {
  const names: string[] = [];
  const types: EntryType[] = [];
  for (let index = 0; index < listing.names.length; index++) {
    const name = listing.names[index]!;
    const type = listing.types[index]!;
    if (!isTaken(name, type)) continue;
    names.push(name);
    types.push(type);
  }
  return names.length === listing.names.length ? listing : { names, types };
}

function parentOf(directory: string): string {
  return directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
}
