/** The changes of one call. Each step resolves its places, holds their locks, and cleans up when it fails. */
import { dirname } from 'node:path';
import type { Lease } from '../../state/locks.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { How } from '../caller.ts';
import { SharedDirectories } from '../confine/directory/shared-directories.ts';
import type { Place } from '../confine/place.ts';
import { STRAIGHT, type WalkOptions } from '../confine/wall.ts';
import { inTurns, mapInTurns, type Steps, Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import type { ChangeRecorder } from '../files/recorder.ts';
import { noteMade, settleChanges } from '../journal/settle.ts';
import type { Access } from './access.ts';
import { leasedRecorder, OutdatedView } from './leased-recorder.ts';
import { whileLocked } from './locks.ts';

/** A step that changes more paths than this shares their directories. */
const MANY_PATHS = 16;
/** How often a change starts again because another machine moved its directories or this machine's view is outdated. */
const MOST_RETRIES = 5;

/** The first wait for an outdated view to catch up; each further wait is twice as long. */
const FIRST_WAIT_MS = 50;

/** A directory was moved or removed before the change had locked its path. */
class DirectoryMoved extends Error {}

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

  /** Changes these paths while it holds their locks. If it fails, it removes the directories that it made. */
  async at<T>(changed: readonly ChangedPath[], change: ChangeAt<T>): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await this.#at(changed, change);
      } catch (error) {
        const { path } = changed[0]!;
        if (error instanceof OutdatedView) {
          if (retries >= MOST_RETRIES) fail({ kind: 'changed-meanwhile', path });
          await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS << retries));
        } else if (!(error instanceof DirectoryMoved)) throw error;
        else if (retries >= MOST_RETRIES) fail({ kind: 'unstable', path });
      }
    }
  }

  async #at<T>(changed: readonly ChangedPath[], change: ChangeAt<T>): Promise<T> {
    const places: Place[] = [];
    const yielder = new Yielder(this.#signal);
    const shared = changed.length > MANY_PATHS ? new SharedDirectories() : undefined;
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
      // A directory that was made for one path may be inside one that was made for an earlier path.
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

  /** A lease locks paths, and another machine may have put another directory there before: checks that first. */
  async #leased<T>(lease: Lease, places: Place[], change: ChangeAt<T>): Promise<T> {
    for (const place of places) if (!this.#isStillThere(place)) throw new DirectoryMoved();
    await this.#settle(lease, places);
    const recorder = leasedRecorder(this.recorder, lease, places[0]!.shown);
    const result = await change(places, recorder);
    recorder.leave();
    return result;
  }

  /** Settles changes that other servers left unfinished, before this one changes the same paths. */
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
      return this.#access.wall.at(above, { ...STRAIGHT, includeWithheld: true }, (parent) =>
        parent.inside((dir) => dir.identity === place.dir.identity),
      );
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

  /** Reports what was changed, unless the journal does. A path that a step left as it was counts as looked at. */
  async #report(places: readonly Place[], changed: readonly ChangedPath[]): Promise<void> {
    // The change is made, so report it in full even if the call was cancelled.
    await mapInTurns(places, new Yielder(undefined), ({ path }, index) => {
      if (!this.recorder.active) this.#access.reportAccess(path, changed[index]!.how);
      else if (!this.recorder.concerns(path)) this.#access.caller.touched({ path, how: 'looked-at' });
    });
  }
}
