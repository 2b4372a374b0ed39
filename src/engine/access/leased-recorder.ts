/** A recorder that lets nothing be changed unless the lock of the change is known to be held still. */
import type { Lease } from '../../state/locks.ts';
import { StateAway } from '../../state/state.ts';
import { fail } from '../failures.ts';
import type { ChangeRecorder } from '../files/recorder.ts';

/** `shown`: the path that the failure names. */
export function leasedRecorder(recorder: ChangeRecorder, lease: Lease, shown: string): ChangeRecorder {
  const orFail = (error: unknown): never => {
    if (error instanceof StateAway) return fail({ kind: 'state-away', path: shown }, error);
    throw error;
  };
  const ready = () => lease.prove().catch(orFail);
  return {
    active: recorder.active,
    concerns: (path) => recorder.concerns(path),
    makesParent: (path, root) => recorder.makesParent(path, root),
    flushed: (place) => recorder.flushed(place),
    becomes: (place, type, facts) => recorder.becomes(place, type, facts),
    creates: async (place, type, facts) => {
      await recorder.creates(place, type, facts);
      // A file of known content is written and flushed first; whoever does that asks by itself.
      if (facts?.bytes === undefined) await ready();
    },
    replaces: async (place, old, known, after) => {
      const kept = await recorder.replaces(place, old, known, after);
      if (!Buffer.isBuffer(after)) await ready();
      return kept;
    },
    removes: async (place, old, must) => {
      const aside = await recorder.removes(place, old, must);
      await ready();
      return aside;
    },
    cannotSetAside: async (place, old) => {
      await recorder.cannotSetAside(place, old);
      await ready();
    },
    moves: async (from, to, source, occupant, known) => {
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
      recorder.begins();
    },
    tookBack: () => recorder.tookBack(),
  };
}
