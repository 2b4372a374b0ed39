/** Moves and renames. Without `overwrite`, the system itself refuses an occupied name: no race after a check. */
import type { Dir, Stat } from '../confine/directory/dir.ts';
import { attempt, attemptAsync, isLinkRefused } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { isBelow } from '../confine/roots.ts';
import type { Wall } from '../confine/wall.ts';
import { fail } from '../failures.ts';
import { replaceContent, requireStill } from './atomic-replace.ts';
import { readSnapshot } from './read/read.ts';
import { type ChangeRecorder, changeDisk, noRecorder } from './recorder.ts';
import { requireNotRoot } from './remove.ts';
import { requireNoneWithheld } from './require-none-withheld.ts';

export interface MoveOptions {
  overwrite: boolean;
  signal: AbortSignal | undefined;
  recorder?: ChangeRecorder;
}

export async function moveEntry(
  wall: Wall,
  from: Place,
  to: Place,
  options: MoveOptions,
): Promise<{ overwritten: boolean }> {
  const source = from.mustExist('entry');
  requireNotRoot(wall, from, 'move');
  for (const place of [from, to]) wall.protectedPlaces.requireNothingBelow(place);
  await requireNoneWithheld(from, 'move', options.signal);
  if (source.type === 'directory' && isBelow(to.path, from.path)) {
    fail({ kind: 'into-itself', path: from.shown, destination: to.shown });
  }
  const occupant = to.lstat();
  if (occupant && (!options.overwrite || from.path === to.path)) {
    fail({ kind: 'exists', path: to.shown, found: occupant.type });
  }
  if (occupant) requireReplaceable(wall, to, source.type === 'directory', occupant.type === 'directory');
  const { recorder = noRecorder, signal } = options;
  await recorder.moves(from, to, source, occupant);
  // What is replaced must be what the journal stored.
  if (recorder.active && occupant) requireStill(to, occupant);
  await attemptAsync(to.shown, 'move', async () => {
    if (occupant) changeDisk(recorder, () => replaceEntry(from, to, occupant));
    else if (source.type === 'directory') changeDisk(recorder, () => moveDirectory(from, to));
    else await moveFile(from, to, { regular: source.type === 'file', signal, recorder });
    await Promise.all([from.dir.flush(), to.dir.flush()]);
  });
  return { overwritten: occupant !== undefined };
}

function requireReplaceable(wall: Wall, to: Place, fromDirectory: boolean, toDirectory: boolean): void {
  requireNotRoot(wall, to, 'replace');
  if (fromDirectory !== toDirectory) {
    fail({ kind: 'exists', path: to.shown, found: toDirectory ? 'directory' : 'file' });
  }
}

function replaceEntry(from: Place, to: Place, occupant: Stat): void {
  from.dir.rename(from.name, to.dir, to.name);
  // If both are names of one file, the system does nothing and leaves both.
  const left = from.lstat();
  if (left?.dev === occupant.dev && left.ino === occupant.ino) from.dir.unlink(from.name);
}

async function moveFile(
  from: Place,
  to: Place,
  {
    regular,
    signal,
    recorder,
  }: { regular: boolean; signal: AbortSignal | undefined; recorder: ChangeRecorder },
): Promise<void> {
  try {
    moveToFreeName(from, to, recorder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EXDEV' || !regular) throw error;
    await copyAcross(from, to, signal, recorder);
  }
}

interface NamedEntry {
  dir: Dir;
  name: string;
}

/**
 * Gives anything but a directory another name. Making a hard link fails if the name is occupied; where the system
 * refuses links, as for another user's file, this checks and renames.
 */
export function moveToFreeName(from: NamedEntry, to: Place, recorder: ChangeRecorder): void {
  try {
    changeDisk(recorder, () => from.dir.link(from.name, to.dir, to.name));
  } catch (error) {
    if (!isLinkRefused(error)) throw error;
    if (to.lstat()) fail({ kind: 'exists', path: to.shown, found: 'file' }, error);
    changeDisk(recorder, () => from.dir.rename(from.name, to.dir, to.name));
    return;
  }
  from.dir.unlink(from.name);
}

/** Creating the directory reserves the name; renaming onto an empty directory replaces it. */
export function moveDirectory(from: NamedEntry, to: Place): void {
  to.dir.mkdir(to.name);
  try {
    from.dir.rename(from.name, to.dir, to.name);
  } catch (error) {
    attempt(to.shown, 'move', () => to.dir.rmdir(to.name));
    throw error;
  }
}

async function copyAcross(
  from: Place,
  to: Place,
  signal: AbortSignal | undefined,
  recorder: ChangeRecorder,
): Promise<void> {
  const snapshot = await readSnapshot(from, { signal });
  // The copy is another file, so the journal recognizes it by its content.
  await recorder.moves(from, to, snapshot.stat, undefined, snapshot.bytes);
  recorder.begins();
  await replaceContent(to, snapshot.bytes, { expect: 'absent', like: snapshot.stat, signal });
  from.dir.unlink(from.name);
}
