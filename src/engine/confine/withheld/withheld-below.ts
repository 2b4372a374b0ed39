/** What is withheld below the directory where a walk of a tree starts, on any thread. */
import type { Cursor } from '../scan/cursor.ts';
import type { Listing } from '../scan/listing.ts';
import { type Verdict, Withheld, type WithheldRules } from './withheld.ts';

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
    const verdicts = this.verdicts(directory, listing);
    if (verdicts.size === 0) return { listing, denied: NONE };
    const denied = new Set([...verdicts].flatMap(([name, verdict]) => (verdict === 'denied' ? name : [])));
    if (denied.size === verdicts.size) return { listing, denied };
    const { names, types } = listing;
    const isKept = (_: unknown, index: number) => verdicts.get(names[index]!) !== 'hidden';
    return { listing: { names: names.filter(isKept), types: types.filter(isKept) }, denied };
  }

  /** The entries that are withheld. */
  verdicts(directory: string, { names, types }: Listing): ReadonlyMap<string, Verdict> {
    const parent = (directory === '' ? this.#path : `${this.#path}/${directory}`) || '/';
    const isSame = (name: string, other: string) => this.#cursor.areSame(name, other);
    const verdicts = new Map<string, Verdict>();
    for (const [index, name] of names.entries()) {
      const verdict = this.#withheld.nameIn(parent, name, types[index] === 'directory', isSame);
      if (verdict !== undefined) verdicts.set(name, verdict);
    }
    return verdicts;
  }
}
