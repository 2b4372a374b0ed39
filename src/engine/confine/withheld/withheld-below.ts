/** What is withheld below the directory where a walk of a tree starts, on any thread. */
import type { Cursor } from '../scan/cursor.ts';
import type { Listing } from '../scan/listing.ts';
import { Withheld, type WithheldRules } from './withheld.ts';

/** In a form that can be sent to another thread. */
export interface WithheldScope {
  rules: WithheldRules;
  /** Where the walk starts: raw, absolute, with all links resolved. */
  path: string;
}

/** A directory's entries as its owner lets clients know of them. */
export interface ServedListing {
  /** Without hidden ones. */
  listing: Listing;
  /** Denied ones: listed, but neither read nor entered. */
  denied: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export class WithheldBelow {
  readonly #withheld: Withheld;
  readonly #path: string;
  readonly #cursor: Cursor;

  constructor(scope: WithheldScope | { withheld: Withheld; path: string }, cursor: Cursor) {
    this.#withheld = 'rules' in scope ? new Withheld(scope.rules) : scope.withheld;
    this.#path = scope.path === '/' ? '' : scope.path;
    this.#cursor = cursor;
  }

  /** `directory` is where the cursor is, from the start of the walk on. */
  serve(directory: string, listing: Listing): ServedListing {
    const parent = (directory === '' ? this.#path : `${this.#path}/${directory}`) || '/';
    const isSame = (name: string, other: string) => this.#cursor.areSame(name, other);
    const hidden = new Set<number>();
    const denied = new Set<string>();
    for (const [index, name] of listing.names.entries()) {
      const isDirectory = listing.types[index] === 'directory';
      const verdict = this.#withheld.nameIn(parent, name, isDirectory, isSame);
      if (verdict === 'hidden') hidden.add(index);
      if (verdict === 'denied') denied.add(name);
    }
    if (hidden.size === 0) return { listing, denied: denied.size === 0 ? NONE : denied };
    const isKept = (_: unknown, index: number) => !hidden.has(index);
    return {
      listing: { names: listing.names.filter(isKept), types: listing.types.filter(isKept) },
      denied,
    };
  }
}
