/** Decides what is withheld below the directory where the walk of a tree starts, in any thread. */
import type { Cursor } from '../scan/cursor.ts';
import type { Listing } from '../scan/listing.ts';
import { type Verdict, Withheld, type WithheldRules } from './withheld.ts';

/** In a form that can be sent to another thread. */
export interface WithheldScope {
  rules: WithheldRules;
  /** Where the walk starts: raw, absolute, with all links resolved. */
  path: string;
}

/** The entries of a directory that the owner lets clients see. */
export interface ServedListing {
  /** Without hidden entries. */
  listing: Listing;
  /** The denied entries: listed, but neither read nor entered. */
  denied: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();
/** Judging this many names takes about a millisecond with the usual number of globs. */
const NAMES_A_TURN = 64;

type Verdicts = Map<string, Verdict>;

interface JudgedListing {
  by: Withheld;
  /** The path of the directory: its rules may depend on it. */
  parent: string;
  served: ServedListing;
}

/**
 * The results for listings that were judged before. While a directory does not change, its listing is the same object.
 */
const judged = new WeakMap<Listing, JudgedListing>();

/** The rules that came with the last search: those of the next are nearly always the same. */
let last: { text: string; withheld: Withheld } | undefined;

function withheldBy(rules: WithheldRules): Withheld {
  const text = JSON.stringify(rules);
  if (last?.text !== text) last = { text, withheld: new Withheld(rules) };
  return last.withheld;
}

export class WithheldBelow {
  readonly #withheld: Withheld;
  readonly #path: string;
  readonly #cursor: Cursor;

  constructor(scope: WithheldScope | { withheld: Withheld; path: string }, cursor: Cursor) {
    this.#withheld = 'rules' in scope ? withheldBy(scope.rules) : scope.withheld;
    this.#path = scope.path === '/' ? '' : scope.path;
    this.#cursor = cursor;
  }

  /** `directory` is where the cursor is, relative to the start of the walk. */
  serve(directory: string, listing: Listing): ServedListing {
    return (
      this.#known(directory, listing) ??
      this.#remember(directory, listing, this.#judgeAll(directory, listing))
    );
  }

  /** The same for the main thread: with a pause every few names, or without a promise if the result is known. */
  serveInTurns(
    directory: string,
    listing: Listing,
    pause: () => Promise<void> | undefined,
  ): ServedListing | Promise<ServedListing> {
    return this.#known(directory, listing) ?? this.#serveAnew(directory, listing, pause);
  }

  async #serveAnew(
    directory: string,
    listing: Listing,
    pause: () => Promise<void> | undefined,
  ): Promise<ServedListing> {
    return this.#remember(directory, listing, await this.verdictsInTurns(directory, listing, pause));
  }

  /** The verdicts on the entries that are withheld. */
  async verdictsInTurns(
    directory: string,
    listing: Listing,
    pause: () => Promise<void> | undefined,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const verdicts: Verdicts = new Map();
    for (const [index, name] of listing.names.entries()) {
      if (index % NAMES_A_TURN === 0) await pause();
      this.#judge(verdicts, directory, listing, name, index);
    }
    return verdicts;
  }

  #known(directory: string, listing: Listing): ServedListing | undefined {
    const known = judged.get(listing);
    return known?.by === this.#withheld && known.parent === this.#parent(directory)
      ? known.served
      : undefined;
  }

  #remember(directory: string, listing: Listing, verdicts: ReadonlyMap<string, Verdict>): ServedListing {
    const servedListing = served(listing, verdicts);
    judged.set(listing, { by: this.#withheld, parent: this.#parent(directory), served: servedListing });
    return servedListing;
  }

  #judgeAll(directory: string, listing: Listing): Verdicts {
    const verdicts: Verdicts = new Map();
    for (const [index, name] of listing.names.entries())
      this.#judge(verdicts, directory, listing, name, index);
    return verdicts;
  }

  #parent(directory: string): string {
    return (directory === '' ? this.#path : `${this.#path}/${directory}`) || '/';
  }

  #judge(verdicts: Verdicts, directory: string, { types }: Listing, name: string, index: number): void {
    const parent = this.#parent(directory);
    const isDirectory = types[index] === 'directory';
    const verdict = this.#withheld.verdictOnName(parent, name, isDirectory, this.#isSame);
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
