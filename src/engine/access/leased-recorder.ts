/** A recorder that allows no change unless it knows that the lock of the change is still held. */
import type { Lease } from '../../state/locks.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';
import type { ChangeRecorder } from '../files/recorder.ts';
import type { Change } from '../journal/entries/entry.ts';
import { stampOf } from '../journal/record/stamp.ts';

/** This machine still shows a file that another one has replaced: its cache is behind. */
export class OutdatedView extends Error {}

export interface LeasedRecorder extends ChangeRecorder {
  /** Tells the lock what the change has left at each path. Call it when the change is made. */
  leave(): void;
}

/** `shown`: the path that a failure names. */
export function leasedRecorder(recorder: ChangeRecorder, lease: Lease, shown: string): LeasedRecorder {
  const replaced = new Map<string, string | undefined>();
  let hasBegun = false;
  const orFail = (error: unknown): never => {
    if (error instanceof StateUnavailable) return fail({ kind: 'state-unavailable', path: shown }, error);
    throw error;
  };
  const ready = () => lease.prove().catch(orFail);
  /** `old`: the file that this machine shows there. */
  const concerns = (place: Place, old?: Stat) => {
    const stamp = old?.type === 'file' ? stampOf(old) : undefined;
    if (stamp !== undefined && lease.lastOf(place.path)?.replaced.includes(stamp)) {
      if (hasBegun) fail({ kind: 'changed-meanwhile', path: place.shown });
      throw new OutdatedView();
    }
    replaced.set(place.path, stamp);
  };
  return {
    active: recorder.active,
    ...(recorder.part !== undefined && { part: recorder.part }),
    concerns: (path) => recorder.concerns(path),
    lastChangeOf: (path) => recorder.lastChangeOf?.(path),
    makesParent: (path, root) => recorder.makesParent(path, root),
    flushed: (place) => recorder.flushed(place),
    becomes: (place, type, facts) => recorder.becomes(place, type, facts),
    creates: async (place, type, facts) => {
      concerns(place);
      await recorder.creates(place, type, facts);
      // A file of known content is written and flushed first, and its writer calls `ready` by itself.
      if (facts?.bytes === undefined) await ready();
    },
    replaces: async (place, old, known, after, mode) => {
      concerns(place, old);
      const kept = await recorder.replaces(place, old, known, after, mode);
      if (!Buffer.isBuffer(after)) await ready();
      return kept;
    },
    removes: async (place, old, must) => {
      concerns(place, old);
      const aside = await recorder.removes(place, old, must);
      await ready();
      return aside;
    },
    cannotSetAside: async (place, old) => {
      await recorder.cannotSetAside(place, old);
      await ready();
    },
    moves: async (from, to, source, occupant, known) => {
      concerns(from, source);
      concerns(to, occupant);
      await recorder.moves(from, to, source, occupant, known);
      await ready();
    },
    ready,
    begins: () => {
      try {
        lease.requireFresh();
      } catch (error) {
        orFail(error);
      }
      hasBegun = true;
      recorder.begins();
    },
    tookBack: () => recorder.tookBack(),
    leave: () => {
      const { part } = recorder;
      if (part === undefined || !hasBegun) return;
      for (const [path, stamp] of replaced) {
        lease.leaves(path, { part, hash: hashLeft(recorder.lastChangeOf?.(path), path), replaced: stamp });
      }
    },
  };
}

/** The hash of the file that a change has left at a path. */
function hashLeft(change: Change | undefined, path: string): string | undefined {
  if (change?.kind === 'changed' || change?.kind === 'created') return change.after?.hash;
  return change?.kind === 'moved' && change.to === path ? change.file?.hash : undefined;
}
