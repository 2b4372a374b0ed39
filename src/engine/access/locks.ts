/** The locks of the files that a change concerns. */
import { type EntryKey, type Lease, type Locks, LockTimeout } from '../../state/locks.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { Place } from '../confine/place.ts';
import { fail, failIfCancelled } from '../failures.ts';

/** Runs `change` while no other change of these places is under way, in this process or another. */
export async function whileLocked<T>(
  locks: Locks,
  places: readonly Place[],
  signal: AbortSignal | undefined,
  change: (lease: Lease | undefined) => Promise<T>,
): Promise<T> {
  let isLocked = false;
  const locked = (lease: Lease | undefined) => {
    isLocked = true;
    return change(lease);
  };
  try {
    return await locks.hold(places.map(keyOf), locked, signal);
  } catch (error) {
    if (isLocked) throw error;
    if (error instanceof LockTimeout) fail({ kind: 'busy', path: places[0]!.shown });
    if (error instanceof StateUnavailable) fail({ kind: 'state-unavailable', path: places[0]!.shown }, error);
    failIfCancelled(signal);
    throw error;
  }
}

/** A file is known by its directory and name: every atomic write gives it a new inode. */
function keyOf({ dir, name, path }: Place): EntryKey {
  return { onMachine: `${dir.identity}/${name}`, path };
}
