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
/** To judge so many takes about a millisecond with the usual number of globs. */
const NAMES_A_TURN = 64;

type Verdicts = Map<string, Verdict>;

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
    const verdicts: Verdicts = new Map();
    for (const [index, name] of listing.names.entries())
      this.#judge(verdicts, directory, listing, name, index);
    return served(listing, verdicts);
  }

  /** The same for the main thread, with a pause every few names. */
  async serveInTurns(
    directory: string,
    listing: Listing,
    pause: () => Promise<void>,
  ): Promise<ServedListing> {
    return served(listing, await this.verdictsInTurns(directory, listing, pause));
  }

  /** The entries that are withheld. */
  async verdictsInTurns(
    directory: string,
    listing: Listing,
    pause: () => Promise<void>,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const verdicts: Verdicts = new Map();
    for (const [index, name] of listing.names.entries()) {
      if (index % NAMES_A_TURN === 0) await pause();
      this.#judge(verdicts, directory, listing, name, index);
    }
    return verdicts;
  }

  #judge(verdicts: Verdicts, directory: string, { types }: Listing, name: string, index: number): void {
    const parent = (directory === '' ? this.#path : `${this.#path}/${directory}`) || '/';
    const isDirectory = types[index] === 'directory';
    const verdict = this.#withheld.nameIn(parent, name, isDirectory, this.#isSame);
    if (verdict !== undefined) verdicts.set(name, verdict);
  }

  readonly #isSame = (name: string, other: string): boolean => this.#cursor.areSame(name, other);
}

function served(listing: Listing, verdicts: ReadonlyMap<string, Verdict>): ServedListing {
  if (verdicts.size === 0) return { listing, denied: NONE };
  const denied = new Set([...verdicts].flatMap(([name, verdict]) => (verdict === 'denied' ? name : [])));
  if (denied.size === verdicts.size) return { listing, denied };
  const { names, types } = listing;
  const isKept = (_: unknown, index: number) => verdicts.get(names[index]!) !== 'hidden';
  return { listing: { names: names.filter(isKept), types: types.filter(isKept) }, denied };
}
