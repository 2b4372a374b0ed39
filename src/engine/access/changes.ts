/** What one call changes: each step resolves its places, holds their locks, and cleans up when it fails. */
import type { How } from '../caller.ts';
import type { Place } from '../confine/place.ts';
import type { WalkOptions } from '../confine/wall.ts';
import type { ChangeRecorder } from '../files/recorder.ts';
import type { Access } from './access.ts';
import { whileLocked } from './locks.ts';

/** A path that a step changes. */
export interface ChangedPath {
  path: string;
  walk?: WalkOptions;
  how: How;
}

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
  async at<T>(
    changed: readonly ChangedPath[],
    change: (places: Place[], recorder: ChangeRecorder) => Promise<T>,
  ): Promise<T> {
    const places: Place[] = [];
    try {
      for (const each of changed) {
        const place = this.#resolve(each);
        places.push(place);
        place.requireWritable();
      }
      const result = await whileLocked(this.#access.locks, places, this.#signal, () =>
        change(places, this.recorder),
      );
      this.#report(places, changed);
      return result;
    } catch (error) {
      // A directory that one path made may lie inside one that an earlier path made.
      for (const place of places.toReversed()) place.undoParents();
      this.#access.reportError(
        error,
        changed.map(({ path }) => path),
      );
      throw error;
    } finally {
      for (const place of places) place.close();
    }
  }

  #resolve({ path, walk }: ChangedPath): Place {
    const { recorder } = this;
    const onMake = (made: string, root: string) => recorder.makesParent(made, root);
    const records = recorder.active && walk?.makeParents;
    return this.#access.wall.resolve(path, records ? { ...walk, onMake } : walk);
  }

  /** The journal reports what it recorded; what a step left as it was is only looked at. */
  #report(places: readonly Place[], changed: readonly ChangedPath[]): void {
    for (const [index, { path }] of places.entries()) {
      if (!this.recorder.active) this.#access.reportAccess(path, changed[index]!.how);
      else if (!this.recorder.concerns(path)) this.#access.caller.touched({ path, how: 'looked-at' });
    }
  }
}
