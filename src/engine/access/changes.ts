/** What one call changes: each step resolves its places, holds their locks, and cleans up when it fails. */
import { dirname } from 'node:path';
import type { Lease } from '../../state/locks.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { How } from '../caller.ts';
import { SharedDirectories } from '../confine/directory/shared-directories.ts';
import type { Place } from '../confine/place.ts';
import type { WalkOptions } from '../confine/wall.ts';
import { inTurns, mapInTurns, type Steps, Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import type { ChangeRecorder } from '../files/recorder.ts';
import { noteMade, settleChanges } from '../journal/settle.ts';
import type { Access } from './access.ts';
import { leasedRecorder, OutdatedView } from './leased-recorder.ts';
import { whileLocked } from './locks.ts';

/** A step that changes more paths than this shares their directories. */
const MANY = 16;
/** How often other machines may move the directories of a change before it gets its locks. */
const MOST_MOVES = 5;

/** The change looks again at a cache that is behind, after ever longer waits. */
const FIRST_WAIT_MS = 50;

/** A directory was moved or removed before its path was locked. */
class MovedBeforeLock extends Error {}

/** A path that a step changes. */
export interface ChangedPath {
  path: string;
  walk?: WalkOptions;
  how: How;
}

type ChangeAt<T> = (places: Place[], recorder: ChangeRecorder) => Promise<T>;

export class Changes {
  readonly recorder: ChangeRecorder;
  readonly #access: Access;
  readonly #signal: AbortSignal | undefined;

  constructor(access: Access, recorder: ChangeRecorder, signal: AbortSignal | undefined) {
    this.#access = access;
    this.recorder = recorder;
    this.#signal = signal;
  }

  /** Changes these paths while it holds their locks. When it fails, no directory that it made stays behind. */
  async at<T>(changed: readonly ChangedPath[], change: ChangeAt<T>): Promise<T> {
    for (let moves = 0; ; moves++) {
      try {
        return await this.#at(changed, change);
      } catch (error) {
        const { path } = changed[0]!;
        if (error instanceof OutdatedView) {
          if (moves >= MOST_MOVES) fail({ kind: 'changed-meanwhile', path });
          await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS << moves));
        } else if (!(error instanceof MovedBeforeLock)) throw error;
        else if (moves >= MOST_MOVES) fail({ kind: 'unstable', path });
      }
    }
  }

  async #at<T>(changed: readonly ChangedPath[], change: ChangeAt<T>): Promise<T> {
    const places: Place[] = [];
    const yielder = new Yielder(this.#signal);
    const shared = changed.length > MANY ? new SharedDirectories() : undefined;
    try {
      for (const each of changed) {
        const place = await inTurns(this.#walking(each), yielder);
        places.push(place);
        if (shared) place.shareWith(shared);
        place.requireWritable();
      }
      this.#access.wall.protectedPlaces.requireChangeableTogether(places);
      const result = await whileLocked(this.#access.locks, places, this.#signal, (lease) =>
        lease ? this.#leased(lease, places, change) : change(places, this.recorder),
      );
      await this.#report(places, changed);
      return result;
    } catch (error) {
      // A directory that one path made may lie inside one that an earlier path made.
      await mapInTurns(places.toReversed(), new Yielder(undefined), (place) => place.undoParents());
      this.#access.reportError(
        error,
        changed.map(({ path }) => path),
      );
      throw error;
    } finally {
      for (const place of places) place.close();
      shared?.close();
    }
  }

  /** What was locked is a path: another machine may have put another directory there before. */
  async #leased<T>(lease: Lease, places: Place[], change: ChangeAt<T>): Promise<T> {
    for (const place of places) if (!this.#isStillThere(place)) throw new MovedBeforeLock();
    await this.#settle(lease, places);
    const recorder = leasedRecorder(this.recorder, lease, places[0]!.shown);
    const result = await change(places, recorder);
    recorder.leave();
    return result;
  }

  /** Settles changes in which other servers were interrupted, before this one changes the same paths. */
  async #settle({ unsettled }: Lease, places: readonly Place[]): Promise<void> {
    const { journal } = this.#access;
    const others = unsettled.filter(({ part }) => part !== this.recorder.part);
    if (!journal || others.length === 0) return;
    try {
      noteMade(journal, others);
      const unknown = others.filter(({ isMade }) => !isMade);
      if (unknown.length > 0) await settleChanges(journal, unknown, places);
    } catch (error) {
      if (error instanceof StateUnavailable)
        fail({ kind: 'state-unavailable', path: places[0]!.shown }, error);
      throw error;
    }
  }

  #isStillThere(place: Place): boolean {
    const above = dirname(place.path);
    if (place.isRoot || above === place.root.real) return true;
    try {
      return this.#access.wall.at(above, { straight: true, own: true }, (parent) => {
        const dir = parent.enter();
        try {
          return dir.identity === place.dir.identity;
        } finally {
          dir.close();
        }
      });
    } catch (error) {
      if (error instanceof EngineFailure) return false;
      throw error;
    }
  }

  #walking({ path, walk }: ChangedPath): Steps<Place> {
    const { recorder } = this;
    const onMake = (made: string, root: string) => recorder.makesParent(made, root);
    const records = recorder.active && walk?.makeParents;
    return this.#access.wall.walking(path, records ? { ...walk, onMake } : walk);
  }

  /** The journal reports what it recorded; what a step left as it was is only looked at. */
  async #report(places: readonly Place[], changed: readonly ChangedPath[]): Promise<void> {
    // The change is made: a cancelled call is reported to the end.
    await mapInTurns(places, new Yielder(undefined), ({ path }, index) => {
      if (!this.recorder.active) this.#access.reportAccess(path, changed[index]!.how);
      else if (!this.recorder.concerns(path)) this.#access.caller.touched({ path, how: 'looked-at' });
    });
  }
}
