/**
 * Finds out what became of changes that the journal planned and whose end no server has recorded: a server was killed,
 * or lost the database, in the middle of them.
 *
 * The next server that holds the lock of a path checks what is there: only then can no other server still be changing
 * it.
 */
import type { UnsettledChange } from '../../state/locks.ts';
import type { Place } from '../confine/place.ts';
import type { Change } from './entries/entry.ts';
import { touchedPaths } from './entries/touched-paths.ts';
import type { Journal } from './journal.ts';
import { fileHash } from './record/stamp.ts';

/**
 * Writes the end of changes that another server is known to have made, and may not have lived to record. The lines go
 * with what the caller plans next, and do no harm where that server writes them, too.
 */
export function noteMade(journal: Journal, unsettled: readonly UnsettledChange[]): void {
  for (const { path, part, isMade } of unsettled) {
    if (isMade && !journal.hasBegun(part)) journal.log.append({ e: part, settled: [{ path, done: true }] });
  }
}

/** `held`: the places whose locks the caller holds. */
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
      // Its end was recorded after the lock was asked for.
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

/** Undefined where what is there does not tell. */
async function isDone(change: Change, places: ReadonlyMap<string, Place>): Promise<boolean | undefined> {
  const place = places.get(change.path)!;
  const now = place.lstat();
  switch (change.kind) {
    case 'created':
      return now !== undefined;
    case 'changed': {
      const hash = now?.type === 'file' ? await fileHash(place.dir, Buffer.from(place.name)) : undefined;
      // What was too large to be kept has no hash, and what it became may have one.
      if (change.before.hash === undefined && change.after.hash !== undefined) {
        return hash === change.after.hash;
      }
      // Neither: a program that knows no locks was here, too. An undo will find that out, and say so.
      return hash === undefined || hash !== change.before.hash;
    }
    case 'removed':
      // Of a directory a part may be gone.
      return now === undefined ? true : now.type === 'directory' ? undefined : false;
    case 'moved':
      return now === undefined && places.get(change.to)?.lstat() !== undefined;
  }
}
