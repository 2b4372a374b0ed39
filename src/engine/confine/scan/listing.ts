/** Lists a held directory with raw names, and identifies the state in which it was listed. */
import * as fs from 'node:fs';
import type { EntryType } from '../../failures.ts';
import { isTemporary } from '../content/draft-names.ts';
import { typeOf } from '../stat.ts';
import { keepsDirectoryTimes } from './file-systems.ts';
import { encoded } from './raw-names.ts';

export interface Listing {
  readonly names: readonly string[];
  readonly types: readonly EntryType[];
}

const byType = new WeakMap<Listing, Map<EntryType, readonly string[]>>();

/** The names of one type: found once for each listing, since listings are remembered. */
export function namesOf(listing: Listing, type: EntryType): readonly string[] {
  const known = byType.get(listing) ?? new Map<EntryType, readonly string[]>();
  const names = known.get(type) ?? listing.names.filter((_, index) => listing.types[index] === type);
  if (known.size === 0) byType.set(listing, known);
  known.set(type, names);
  return names;
}

/** Identifies one version of a directory: as long as its state is the same, so are its entries. */
export interface DirectoryState {
  dev: number;
  ino: number;
  modifiedMs: number;
  changedMs: number;
}

export interface ListingMemory {
  recall(state: DirectoryState): Listing | undefined;
  remember(state: DirectoryState, listing: Listing): void;
}

/** Undefined if a change could go unnoticed, or if two directories could have the same state. */
export function stateOf(directory: number): DirectoryState | undefined {
  const { dev, ino, mtimeMs, ctimeMs } = fs.fstatSync(directory);
  if (!keepsDirectoryTimes(directory, dev)) return undefined;
  if (!Number.isSafeInteger(ino) || !Number.isSafeInteger(dev)) return undefined;
  return { dev, ino, modifiedMs: mtimeMs, changedMs: ctimeMs };
}

export function listAt(path: string): Listing {
  const listing = newListing();
  addEntries(listing, fs.readdirSync(path, { withFileTypes: true, encoding: 'latin1' }));
  return listing;
}

/** The same as `listAt`, with a pause between two batches of entries, and without a promise if one batch is enough. */
export function listInTurnsAt(
  path: string,
  pause: () => Promise<void> | undefined,
): Listing | Promise<Listing> {
  const listing = newListing();
  const batches = entryBatches(path);
  // Not a for-of loop: leaving one would end the generator.
  for (let next = batches.next(); !next.done; next = batches.next()) {
    addEntries(listing, next.value);
    if (next.value.length === ENTRIES_A_BATCH) return addInTurns(listing, batches, pause);
  }
  return listing;
}

async function addInTurns(
  listing: GrowingListing,
  batches: Iterable<readonly fs.Dirent[]>,
  pause: () => Promise<void> | undefined,
): Promise<Listing> {
  await pause();
  for (const entries of batches) {
    addEntries(listing, entries);
    await pause();
  }
  return listing;
}

interface GrowingListing extends Listing {
  readonly names: string[];
  readonly types: EntryType[];
}

function newListing(): GrowingListing {
  return { names: [], types: [] };
}

function addEntries({ names, types }: GrowingListing, entries: readonly fs.Dirent[]): void {
  for (const entry of entries) {
    const type = typeOf(entry);
    if (isTemporary(entry.name, type)) continue;
    names.push(entry.name);
    types.push(type);
  }
}

/** All raw names of a directory, one batch after the other, in the order of the disk. */
export function* nameBatches(path: string): Generator<string[]> {
  let begun = false;
  try {
    for (const entries of entryBatches(path)) {
      begun = true;
      yield entries.map(({ name }) => name);
    }
  } catch (error) {
    if (begun) throw error;
    // Where the file system reports no types, Node stats each name by itself, which it cannot do for raw names.
    yield fs.readdirSync(path, { encoding: 'latin1' });
  }
}

const ENTRIES_A_BATCH = 1024;

function* entryBatches(path: string): Generator<fs.Dirent[]> {
  // Node's type declarations allow only UTF-8 here; Node itself takes every encoding.
  const encoding = 'latin1' as 'utf8';
  const directory = fs.opendirSync(path, { encoding, bufferSize: ENTRIES_A_BATCH });
  try {
    let batch: fs.Dirent[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (batch.push(entry) < ENTRIES_A_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    directory.closeSync();
  }
}

/**
 * For file systems that report no types in listings: Node then stats each name by itself, which it cannot do for raw
 * names.
 */
export function listUntyped(path: string): Listing {
  const names: string[] = [];
  const types: EntryType[] = [];
  for (const name of fs.readdirSync(path, { encoding: 'latin1' })) {
    const stat = fs.lstatSync(encoded(path + name), { throwIfNoEntry: false });
    if (!stat || isTemporary(name, typeOf(stat))) continue;
    names.push(name);
    types.push(typeOf(stat));
  }
  return { names, types };
}
