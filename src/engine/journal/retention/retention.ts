/**
 * How long the journal remembers, and how much. The oldest entries are given up first; of what is too old the
 * newest one of a file stays, and a size that was set is held in any case.
 *
 * What no entry needs is not removed at once: another server may be about to use it again. It leaves the
 * store, waits some minutes, and is brought back if an entry turns out to need it.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { blobPath } from '../../../state/directory/contents.ts';
import { makeDirectory } from '../../../state/directory/make-directory.ts';
import { finishRemoval, removeForGood, storedThings } from '../../../state/directory/remove-for-good.ts';
import { removeWhole, weightOf } from '../../../state/directory/whole-tree.ts';
import { Breathing } from '../../event-loop.ts';
import { namesOf } from '../entries/contents-needed.ts';
import { pathsOf } from '../entries/entry.ts';
import { type Line, type ReadEntry, readForgotten, readWithParts } from '../entries/read-entries.ts';
import type { Journal } from '../journal.ts';

export interface Keep {
  days: number;
  bytes: number;
}

export const usualKeep: Keep = { days: 30, bytes: 1024 ** 3 };

/** For those who only look and undo: how much is kept is up to the servers. */
export const keepAll: Keep = { days: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

const DAY_MS = 24 * 3_600_000;
const LEAVING_MS = 120_000;
/** What is younger and belongs to no entry may belong to one that is being written. */
const YOUNG_MS = 120_000;
/** An entry without an end that is younger may be under way. */
const UNDER_WAY_MS = 600_000;

export interface Pruned {
  entries: number;
  bytes: number;
}

/** Gives up what is too old or too much. Only one process at a time may do this. */
export async function prune(
  journal: Journal,
  { days, bytes }: Keep,
  now: number = Date.now(),
): Promise<Pruned> {
  await journal.store.settled();
  const breathing = new Breathing(undefined);
  // First what is there, then what is needed of it: what comes in between is needed.
  const stored = await sizes(journal.directory, now, breathing);
  const entries = readWithParts(journal.log);
  const dropped = tooOld(entries, now - days * DAY_MS);
  const rest = entries.filter((entry) => !dropped.has(entry));
  const stays = newest(entries);
  const weights = new Map([...stored].map(([name, each]) => [name, each.bytes]));
  const order = rest.filter((entry) => !stays.has(entry));
  for (const each of droppedFor(rest, order, weights, bytes)) dropped.add(each);
  const left = entries.filter((entry) => !dropped.has(entry));
  if (dropped.size > 0) journal.log.append({ drop: [...dropped].flatMap(({ parts }) => parts) });
  const ended = neededBy([...dropped]);
  for (const [name, each] of stored) if (ended.has(name)) each.young = false;
  const needed = neededBy(left);
  const freed = await moveOut(journal.directory, stored, needed, now, breathing);
  emptyLeaving(journal.directory, needed, now);
  const forgotten = readForgotten(journal.log).names;
  finishRemoval(journal.directory, (name) => needed.has(name) && !forgotten.has(name));
  removeFiles(journal, left);
  shrinkFiles(journal, left);
  return { entries: dropped.size, bytes: freed };
}

/**
 * Brings what is kept down to a size, at once: what no entry needs goes first, then the oldest entries, those that
 * are the last change of a file after the others. Only one process at a time may do this.
 */
export async function makeRoom(journal: Journal, bytes: number, own: string | undefined): Promise<void> {
  const { directory } = journal;
  const weights = new Map<string, number>();
  for (const { name, bytes: each } of storedThings(directory)) {
    weights.set(name, (weights.get(name) ?? 0) + each);
  }
  const entries = readWithParts(journal.log);
  const recent = Date.now() - UNDER_WAY_MS;
  const givable = entries.filter(({ entry, open }) => entry.id !== own && !(open && entry.at > recent));
  const stays = newest(entries);
  const order = [...givable.filter((each) => !stays.has(each)), ...givable.filter((each) => stays.has(each))];
  const dropped = droppedFor(entries, order, weights, bytes);
  if (dropped.size > 0) journal.log.append({ drop: [...dropped].flatMap(({ parts }) => parts) });
  const needed = neededBy(entries.filter((entry) => !dropped.has(entry)));
  const unneeded = [...storedThings(directory)].filter(({ name }) => !needed.has(name));
  removeForGood(
    directory,
    unneeded.map(({ path }) => path),
    () => {
      const now = neededBy(readWithParts(journal.log));
      return (name) => now.has(name);
    },
  );
}

/** How many of these, in their order, must go until the rest of all fits. */
function droppedFor(
  entries: readonly ReadEntry[],
  order: readonly ReadEntry[],
  weights: ReadonlyMap<string, number>,
  limit: number,
): Set<ReadEntry> {
  const users = new Map<string, number>();
  for (const { entry } of entries) {
    for (const name of namesOf(entry.changes)) users.set(name, (users.get(name) ?? 0) + 1);
  }
  let total = 0;
  for (const name of users.keys()) total += weights.get(name) ?? 0;
  const dropped = new Set<ReadEntry>();
  for (const each of order) {
    if (total <= limit) break;
    dropped.add(each);
    for (const name of namesOf(each.entry.changes)) {
      const left = users.get(name)! - 1;
      users.set(name, left);
      if (left === 0) total -= weights.get(name) ?? 0;
    }
  }
  return dropped;
}

/** The entries that are the newest of some file stay in any case, and those that say whether one of them is undone. */
function newest(entries: readonly ReadEntry[]): Set<ReadEntry> {
  const seen = new Set<string>();
  const kept = new Set<ReadEntry>();
  for (const entry of [...entries].reverse()) {
    for (const path of entry.entry.changes.flatMap(pathsOf)) {
      if (!seen.has(path)) kept.add(entry);
      seen.add(path);
    }
  }
  const ids = new Set([...kept].map(({ entry: { id } }) => id));
  for (const each of entries) {
    const { id, undoes } = each.entry;
    if (undoes === undefined || !ids.has(undoes)) continue;
    kept.add(each);
    ids.add(id);
  }
  return kept;
}

function tooOld(entries: readonly ReadEntry[], before: number): Set<ReadEntry> {
  const stays = newest(entries);
  return new Set(entries.filter((each) => each.entry.at < before && !stays.has(each)));
}

function neededBy(entries: readonly ReadEntry[]): Set<string> {
  return new Set(entries.flatMap(({ entry }) => [...namesOf(entry.changes)]));
}

interface Stored {
  path: string;
  bytes: number;
  young: boolean;
}

/** All that is kept, by hash or by name. */
async function sizes(directory: string, now: number, breathing: Breathing): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>();
  for (const name of namesIn(join(directory, 'store'))) {
    await breathing.pause();
    const path = join(directory, 'store', name);
    if (name.startsWith('.new-')) {
      if (ageOf(path, now) > LEAVING_MS) fs.rmSync(path, { force: true });
      continue;
    }
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    stored.set(name.replace(/\.z$/, ''), { path, bytes: stat.size, young: now - stat.mtimeMs < YOUNG_MS });
  }
  for (const name of namesIn(join(directory, 'aside'))) {
    await breathing.pause();
    const path = join(directory, 'aside', name);
    // What was moved here keeps its own time; when it came shows in its change time.
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat) stored.set(name, { path, bytes: weightOf(path), young: now - stat.ctimeMs < YOUNG_MS });
  }
  return stored;
}

async function moveOut(
  directory: string,
  stored: ReadonlyMap<string, Stored>,
  needed: ReadonlySet<string>,
  now: number,
  breathing: Breathing,
): Promise<number> {
  let freed = 0;
  for (const [name, { path, bytes, young }] of stored) {
    if (young || needed.has(name)) continue;
    await breathing.pause();
    const leaving = join(directory, 'leaving');
    makeDirectory(leaving);
    const kind = path.endsWith('.z') ? `${name}.z` : name;
    if (path.startsWith(join(directory, 'aside'))) removeWhole(path);
    else {
      fs.renameSync(path, join(leaving, kind));
      fs.utimesSync(join(leaving, kind), now / 1000, now / 1000);
    }
    freed += bytes;
  }
  return freed;
}

function emptyLeaving(directory: string, needed: ReadonlySet<string>, now: number): void {
  const leaving = join(directory, 'leaving');
  for (const name of namesIn(leaving)) {
    const path = join(leaving, name);
    if (needed.has(name.replace(/\.z$/, ''))) {
      const back = join(directory, blobPath(name));
      makeDirectory(join(back, '..'));
      fs.renameSync(path, back);
    } else if (ageOf(path, now) > LEAVING_MS) fs.rmSync(path, { force: true });
  }
}

/** Files of the journal without an entry that is left. */
function removeFiles({ log }: Journal, left: readonly ReadEntry[]): void {
  const used = new Set(left.map(({ file }) => file));
  // A later line may belong to an entry of an earlier file: from the first one that is used, all stay.
  for (const file of log.files()) {
    if (used.has(file) || log.mayGrow(file)) return;
    log.remove(file);
  }
}

/** Lines of entries that were given up leave the files that nobody adds to any more, oldest file first. */
function shrinkFiles({ log }: Journal, left: readonly ReadEntry[]): void {
  const parts = new Set(left.flatMap((entry) => entry.parts));
  let allShrunk = true;
  for (const file of log.files()) {
    if (log.mayGrow(file)) return;
    const lines = [...log.recordsOf(file, { offset: 0 })] as Line[];
    const begun = new Set(lines.flatMap(({ e, at }) => (at === undefined ? [] : [e])));
    // Where an earlier file still holds a part of it, the line that ends it must stay.
    const ends = ({ e }: Line) => !allShrunk && !begun.has(e);
    const needed = lines.filter((line) => parts.has(line.e ?? '') || ends(line) || line.forgot);
    if (needed.length < lines.length / 2) log.rewrite(file, needed);
    else if (needed.length < lines.length) allShrunk = false;
  }
}

function namesIn(path: string): string[] {
  try {
    return fs.readdirSync(path);
  } catch {
    return [];
  }
}

function ageOf(path: string, now: number): number {
  return now - (fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
}
