/**
 * Changes several files as one: all of them, or none.
 *
 * Whatever can fail for lack of space or permission happens before the first file gets its new content: the new
 * contents are written and flushed under temporary names, and the old files get second names. What remains is a series
 * of renames. If one of them fails, the files before it are restored, by renames too.
 */

import { temporaryName } from '../confine/content/draft-names.ts';
import { type FileAttributes, fillDraft, flushDraft, setAttributes } from '../confine/content/write.ts';
import type { Dir, Stat } from '../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { allDone, Yielder } from '../event-loop.ts';
import { fail, failIfCancelled } from '../failures.ts';
import {
  type FileSnapshot,
  type Prepared,
  prepareContent,
  replaceContent,
  requireUnchanged,
} from './atomic-replace.ts';
import { readSnapshot } from './read/read.ts';
import { type ChangeRecorder, noRecorder } from './recorder.ts';

const FLUSHED_TOGETHER = 32;

export interface Replacement {
  place: Place;
  /** The new content, or `removed` to delete the file; `expect` must then be a snapshot. */
  bytes: Buffer | 'removed';
  /** What must still be there: a snapshot, or `absent` for a new file. Default: anything. */
  expect?: FileSnapshot | 'absent';
  /** Mode and owner for a new file. */
  like?: FileAttributes;
  /** The mode that a replaced file gets instead of its own. */
  mode?: number;
}

/** Refuses two changes of one file in one call, because it is unclear which of them is meant. */
export function requireDifferent(places: readonly Place[]): void {
  const seen = new Map<string, number>();
  for (const [index, place] of places.entries()) {
    const file = `${place.dir.identity}/${place.name}`;
    const first = seen.get(file);
    if (first !== undefined)
      fail({ kind: 'overlap', path: place.shown, first: first + 1, second: index + 1 });
    seen.set(file, index);
  }
}

export async function replaceTogether(
  replacements: readonly Replacement[],
  signal: AbortSignal | undefined,
  recorder: ChangeRecorder = noRecorder,
): Promise<void> {
  const [only] = replacements;
  if (only && only.bytes !== 'removed' && replacements.length === 1) {
    return replaceContent(only.place, only.bytes, { ...only, signal, recorder });
  }
  const yielder = new Yielder(signal);
  const prepared: Prepared[] = [];
  const backups: Backup[] = [];
  try {
    for (let at = 0; at < replacements.length; at += FLUSHED_TOGETHER) {
      for (const each of replacements.slice(at, at + FLUSHED_TOGETHER)) {
        await yielder.pause();
        prepared.push(await prepare(each, signal, recorder));
      }
      // In parallel, but not all at once: other calls need the threads that flush, and a share of this thread.
      await allDone(prepared.slice(at).map((each) => each.flush()));
    }
    // The last file needs no backup: no step after it can fail.
    for (const { place, old } of prepared.slice(0, -1)) {
      await yielder.pause();
      backups.push(await backUp(place, old, signal));
    }
    // Check all files before the first one changes: others would see a change half done that is then undone.
    for (const each of prepared) {
      await yielder.pause();
      each.check();
    }
    failIfCancelled(signal);
    if (recorder.ready) await recorder.ready();
    await publishAll(prepared, backups, recorder);
  } finally {
    const uncancellable = new Yielder(undefined);
    for (const each of prepared) {
      await uncancellable.pause();
      each.drop();
    }
    await dropAll(backups);
  }
  await flushAll(prepared.map(({ place }) => place));
}

function prepare(
  replacement: Replacement,
  signal: AbortSignal | undefined,
  recorder: ChangeRecorder,
): Promise<Prepared> {
  const { place, bytes, expect } = replacement;
  if (bytes !== 'removed') return prepareContent(place, bytes, { ...replacement, signal, recorder });
  return prepareRemoval(place, expect as FileSnapshot, recorder);
}

/** The journal stores a copy of the file: setting the file itself aside is a step that a rename cannot undo. */
async function prepareRemoval(
  place: Place,
  expect: FileSnapshot,
  recorder: ChangeRecorder,
): Promise<Prepared> {
  const { dir, name, shown } = place;
  if (await recorder.removes(place, expect.stat)) await recorder.cannotSetAside(place, expect.stat);
  return {
    place,
    old: expect.stat,
    flush: () => recorder.flushed(place),
    check: () => attempt(shown, 'delete', () => requireUnchanged(place, expect)),
    publish: () => attempt(shown, 'delete', () => dir.unlink(name)),
    drop: () => {},
  };
}

/**
 * Checks each file again right before it is replaced, without waiting in between. Other calls may run between two
 * files: the locks keep out those that change the same files, and the call order keeps out those that read them.
 */
async function publishAll(
  prepared: readonly Prepared[],
  backups: readonly Backup[],
  recorder: ChangeRecorder,
): Promise<void> {
  const uncancellable = new Yielder(undefined);
  let published = 0;
  recorder.begins();
  try {
    for (; published < prepared.length; published++) {
      if (uncancellable.isDue) await uncancellable.pause();
      prepared[published]!.check();
      prepared[published]!.publish();
    }
  } catch (error) {
    await restoreAll(backups.slice(0, published).reverse());
    recorder.tookBack();
    throw error;
  }
}

/** Tries to restore every file, and then throws the first failure. */
async function restoreAll(backups: readonly Backup[]): Promise<void> {
  const uncancellable = new Yielder(undefined);
  const failures: unknown[] = [];
  for (const each of backups) {
    await uncancellable.pause();
    try {
      each.restore();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function flushAll(places: readonly Place[]): Promise<void> {
  const directories = new Map(places.map((place) => [place.dir.identity, place]));
  for (const { dir, shown } of directories.values()) await attemptAsync(shown, 'write', () => dir.flush());
}

/** What was at a place before the change, ready to be restored in one step. */
interface Backup {
  readonly dir: Dir;
  restore(): void;
  /** Always called at the end. Returns the second name of the file if it still has to be removed. */
  drop(): string | undefined;
}

/** Removing the last name of a file frees its content, which may wait for the disk: other threads do that. */
async function dropAll(backups: readonly Backup[]): Promise<void> {
  for (let at = 0; at < backups.length; at += FLUSHED_TOGETHER) {
    const names = new Map<Dir, string[]>();
    for (const each of backups.slice(at, at + FLUSHED_TOGETHER)) {
      const second = each.drop();
      if (second !== undefined) names.set(each.dir, [...(names.get(each.dir) ?? []), second]);
    }
    await allDone([...names].map(([dir, seconds]) => dir.discard(seconds)));
  }
}

async function backUp(place: Place, old: Stat | undefined, signal: AbortSignal | undefined): Promise<Backup> {
  const { dir, name, shown } = place;
  if (old === undefined) {
    return { dir, restore: () => attempt(shown, 'restore', () => dir.unlink(name)), drop: () => undefined };
  }
  const second = temporaryName();
  try {
    dir.link(name, dir, second);
  } catch {
    // No hard links here, or not to this file: keep a copy.
    return backUpByCopy(place, old, signal);
  }
  let held = true;
  return {
    dir,
    restore: () => {
      attempt(shown, 'restore', () => dir.rename(second, dir, name));
      held = false;
    },
    drop: () => (held ? second : undefined),
  };
}

async function backUpByCopy(place: Place, old: Stat, signal: AbortSignal | undefined): Promise<Backup> {
  const { dir, name, shown } = place;
  const { bytes } = await readSnapshot(place, { signal });
  const copy = attempt(shown, 'write', () => dir.draft());
  try {
    await attemptAsync(shown, 'write', async () => {
      await fillDraft(copy, bytes, signal);
      setAttributes(copy, old);
      await flushDraft(copy);
    });
    copy.closeDescriptor();
  } catch (error) {
    copy.drop();
    throw error;
  }
  return {
    dir,
    restore: () => attempt(shown, 'restore', () => copy.publish(name)),
    drop: () => {
      copy.drop();
      return undefined;
    },
  };
}
