/**
 * Keeps the journal within its age and its size. The oldest entries are dropped first. The last change of each file
 * survives the age limit; the size limit holds in any case.
 */

import type { Contents, StoredContent } from '../../../state/contents.ts';
import { DAY_MS } from '../../../state/day.ts';
import { contentNames } from '../entries/contents-needed.ts';
import type { EntryIndex, EntryWithParts } from '../entries/entry-index.ts';
import type { Line } from '../entries/line.ts';
import { touchedPaths } from '../entries/touched-paths.ts';
import type { Journal } from '../journal.ts';
import type { RetentionLimits } from './retention-limits.ts';

/** An entry without an end that is younger than this may still be under way. */
const UNDER_WAY_MS = 600_000;

export interface Pruned {
  entries: number;
  bytes: number;
}

/** Drops what is too old or too much. Only one process at a time may do this. */
export async function prune(journal: Journal, { days, bytes }: RetentionLimits): Promise<Pruned> {
  const now = Date.now();
  const { contents } = journal.state;
  await contents.settled();
  // List the contents before the entries: then the entries need every content that is stored in between.
  const stored = await storedIn(contents);
  const index = await journal.read();
  const entries = index.withParts;
  const dropped = tooOld(entries, now - days * DAY_MS);
  const rest = entries.filter((entry) => !dropped.has(entry));
  const stays = newest(entries);
  const order = rest.filter((entry) => !stays.has(entry));
  for (const each of droppedFor(rest, order, stored, bytes)) dropped.add(each);
  const left = entries.filter((entry) => !dropped.has(entry));
  drop(journal, dropped);
  const ended = neededBy([...dropped]);
  const old = [...stored.values()].filter(({ name, young }) => !young || ended.has(name));
  const freed = await contents.retire(
    old.map(({ name }) => name),
    isNeededIn(index, left),
    now,
  );
  await journal.log.compact(linesToKeep(left));
  return { entries: dropped.size, bytes: freed };
}

/**
 * Brings the store down to a size at once. Contents that no entry needs go first, then the oldest entries, and last the
 * entries that are the last change of a file, though never `own`. Only one process at a time may do this.
 */
export async function makeRoom(journal: Journal, bytes: number, own: string | undefined): Promise<void> {
  const { contents } = journal.state;
  const stored = await storedIn(contents);
  const entries = (await journal.read()).withParts;
  const recent = Date.now() - UNDER_WAY_MS;
  const givable = entries.filter(({ entry, open }) => entry.id !== own && !(open && entry.at > recent));
  const stays = newest(entries);
  const order = [...givable.filter((each) => !stays.has(each)), ...givable.filter((each) => stays.has(each))];
  const dropped = droppedFor(entries, order, stored, bytes);
  drop(journal, dropped);
  const needed = neededBy(entries.filter((entry) => !dropped.has(entry)));
  const names = [...(await storedIn(contents)).keys()];
  await contents.erase(
    names.filter((name) => !needed.has(name)),
    async () => isNeededIn(await journal.read()),
  );
}

function drop({ log }: Journal, dropped: ReadonlySet<EntryWithParts>): void {
  if (dropped.size > 0) log.append({ drop: [...dropped].flatMap(({ parts }) => parts) });
}

/** Everything in the store, by name. */
export async function storedIn(contents: Contents): Promise<Map<string, StoredContent>> {
  const stored = new Map<string, StoredContent>();
  for await (const each of contents.list()) {
    const same = stored.get(each.name);
    if (same) each.bytes += same.bytes;
    stored.set(each.name, { ...each, young: each.young || same?.young === true });
  }
  return stored;
}

/** Tells which contents entries need. They no longer need what the user had removed. */
export function isNeededIn(
  index: EntryIndex,
  entries: readonly EntryWithParts[] = index.withParts,
): (name: string) => boolean {
  const needed = neededBy(entries);
  const { names: forgotten } = index.forgotten;
  return (name) => needed.has(name) && !forgotten.has(name);
}

function neededBy(entries: readonly EntryWithParts[]): Set<string> {
  return new Set(entries.flatMap(({ entry }) => [...contentNames(entry.changes)]));
}

/** The first entries of `order` that must be dropped so that the others of `entries` fit into `limit` bytes. */
function droppedFor(
  entries: readonly EntryWithParts[],
  order: readonly EntryWithParts[],
  stored: ReadonlyMap<string, StoredContent>,
  limit: number,
): Set<EntryWithParts> {
  const sizeOf = (name: string) => stored.get(name)?.bytes ?? 0;
  const users = new Map<string, number>();
  for (const { entry } of entries) {
    for (const name of contentNames(entry.changes)) users.set(name, (users.get(name) ?? 0) + 1);
  }
  let total = 0;
  for (const name of users.keys()) total += sizeOf(name);
  const dropped = new Set<EntryWithParts>();
  for (const each of order) {
    if (total <= limit) break;
    dropped.add(each);
    for (const name of contentNames(each.entry.changes)) {
      const left = users.get(name)! - 1;
      users.set(name, left);
      if (left === 0) total -= sizeOf(name);
    }
  }
  return dropped;
}

/** The entries that are the last change of some file, and the undos that say whether these entries are undone. */
function newest(entries: readonly EntryWithParts[]): Set<EntryWithParts> {
  const seen = new Set<string>();
  const kept = new Set<EntryWithParts>();
  for (const entry of [...entries].reverse()) {
    for (const path of entry.entry.changes.flatMap(touchedPaths)) {
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

function tooOld(entries: readonly EntryWithParts[], before: number): Set<EntryWithParts> {
  const stays = newest(entries);
  return new Set(entries.filter((each) => each.entry.at < before && !stays.has(each)));
}

/**
 * Chooses the lines to keep: those of the entries that are left. Nothing before the first of these entries is needed.
 * After it, the lines that say what the user had removed are needed too; and, while an earlier segment of the log still
 * holds lines of dropped entries, the lines that end or drop those.
 */
function linesToKeep(
  left: readonly EntryWithParts[],
): (segment: readonly Line[], isComplete: boolean) => Line[] {
  const parts = new Set(left.flatMap((entry) => entry.parts));
  let hasBegun = false;
  return (segment, isComplete) => {
    const begun = new Set(segment.flatMap(({ e, at }) => (at === undefined ? [] : [e])));
    hasBegun ||= [...begun].some((e) => e !== undefined && parts.has(e));
    if (!hasBegun) return [];
    const endsEarlier = ({ e }: Line) => !isComplete && !begun.has(e);
    return segment.filter((line) => parts.has(line.e ?? '') || endsEarlier(line) || line.forgot);
  };
}
