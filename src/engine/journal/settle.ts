/**
 * Finds out whether planned changes were made when no server has recorded their end, because a server was killed or
 * lost the database in the middle of them.
 *
 * The next server that holds the lock of a path checks what is there. While it holds the lock, no other server can be
 * changing the path.
 */
import type { UnsettledChange } from '../../state/locks.ts';
import type { Place } from '../confine/place.ts';
import type { Change } from './entries/entry.ts';
import { touchedPaths } from './entries/touched-paths.ts';
import type { Journal } from './journal.ts';
import { fileHash } from './record/stamp.ts';

/**
 * Records that changes were made when another server is known to have made them, but may have died before it recorded
 * them. The lines are flushed with what the caller plans next. They do no harm if the other server writes them too.
 */
export function noteMade(journal: Journal, unsettled: readonly UnsettledChange[]): void {
  for (const { path, part, isMade } of unsettled) {
    if (isMade && !journal.hasBegun(part)) journal.log.append({ e: part, settled: [{ path, done: true }] });
  }
}

/** Records which changes were made and which were not. `held`: the places whose locks the caller holds. */
export async function settleChanges(
  journal: Journal,
  unsettled: readonly UnsettledChange[],
  held: readonly Place[],
): Promise<void> {
  const index = await journal.read();
  const places = new Map(held.map((place) => [place.path, place]));
  for (const part of new Set(unsettled.map((each) => each.part))) {
    const open = index.openPart(part);
    const concerned = new Set(unsettled.filter((each) => each.part === part).map(({ path }) => path));
    if (!open) {
      // Another server recorded the end after this one asked for the lock.
      journal.log.append({ e: part, settled: [...concerned].map((path) => ({ path, done: true })) });
      continue;
    }
    const settled: { path: string; done: boolean }[] = [];
    for (const change of open.changes) {
      if (!touchedPaths(change).every((path) => concerned.has(path))) continue;
      const done = await isDone(change, places);
      if (done !== undefined) settled.push(...touchedPaths(change).map((path) => ({ path, done })));
    }
    if (settled.length > 0) journal.log.append({ e: part, settled });
  }
  await journal.log.flush();
}

/** Whether a change was made; undefined when the disk does not show it. */
async function isDone(change: Change, places: ReadonlyMap<string, Place>): Promise<boolean | undefined> {
  const place = places.get(change.path)!;
  const now = place.lstat();
  switch (change.kind) {
    case 'created':
      return now !== undefined;
    case 'changed': {
      const hash = now?.type === 'file' ? await fileHash(place.dir, Buffer.from(place.name)) : undefined;
      // An old content that was too large to keep has no hash, but the new one may have one.
      if (change.before.hash === undefined && change.after.hash !== undefined) {
        return hash === change.after.hash;
      }
      // If the content is neither the old nor the new one, another program changed the file. An undo will report that.
      return hash === undefined || hash !== change.before.hash;
    }
    case 'removed':
      // A directory that is still there may be partly removed.
      return now === undefined ? true : now.type === 'directory' ? undefined : false;
    case 'moved':
      return now === undefined && places.get(change.to)?.lstat() !== undefined;
  }
}
