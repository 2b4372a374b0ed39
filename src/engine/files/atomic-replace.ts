/** Replaces a file's content in one step: others see the old content or the new one, never anything in between. */

import { closing } from '../confine/closing.ts';
import { holdsBytes } from '../confine/content/read.ts';
import { type FileAttributes, fillDraft, flushDraft, setAttributes } from '../confine/content/write.ts';
import type { Draft, Stat } from '../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { allDone, yieldIfDue } from '../event-loop.ts';
import { EngineFailure, fail, failIfCancelled } from '../failures.ts';
import { type ChangeRecorder, changeDisk, noRecorder } from './recorder.ts';

/** How often a plain write is attempted if somebody else keeps replacing the file. */
const ATTEMPTS = 5;

/** A file as it was read: a change is made only if the file is still the same. */
export interface FileSnapshot {
  stat: Stat;
  bytes: Buffer;
}

export interface ReplaceOptions {
  /**
   * What must be there at the last check: nothing (`absent`, for a new file), or the file as it was read (for an edit).
   * Default: anything.
   */
  expect?: FileSnapshot | 'absent';
  /** Mode and owner for a new file; a replaced file keeps its own. */
  like?: FileAttributes;
  /** The mode that a replaced file gets instead of its own. */
  mode?: number;
  signal?: AbortSignal | undefined;
  recorder?: ChangeRecorder;
  /** False if the caller flushes the directory once for several files. Default: true. */
  flushDirectory?: boolean;
}

/** New content, written under a temporary name. It still has to be flushed and renamed. */
export interface Prepared {
  readonly place: Place;
  /** The file that it replaces, if there is one. */
  readonly old: Stat | undefined;
  /** Settles when the content, and what the journal stored for it, would survive a power cut. */
  flush(): Promise<void>;
  /**
   * The last check. Call `publish` right after it and await nothing in between, so that the file that was compared is
   * the one that is replaced.
   */
  check(): void;
  publish(): void;
  /** Always called at the end; removes what was not published. */
  drop(): void;
}

export async function replaceContent(place: Place, bytes: Buffer, options: ReplaceOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await replaceOnce(place, bytes, options);
      break;
    } catch (error) {
      // A plain write may replace anything, so try again: the journal then stores what is there now.
      if (options.expect !== undefined || attempt === ATTEMPTS || !isChangedMeanwhile(error)) throw error;
    }
  }
  if (options.flushDirectory ?? true) await attemptAsync(place.shown, 'write', () => place.dir.flush());
}

async function replaceOnce(place: Place, bytes: Buffer, options: ReplaceOptions): Promise<void> {
  const { recorder = noRecorder } = options;
  const prepared = await prepareContent(place, bytes, options);
  try {
    await prepared.flush();
    if (recorder.ready) await recorder.ready();
    prepared.check();
    changeDisk(recorder, () => prepared.publish());
  } finally {
    prepared.drop();
  }
}

function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof EngineFailure && ['changed-meanwhile', 'exists'].includes(error.facts.kind);
}

export async function prepareContent(
  place: Place,
  bytes: Buffer,
  options: ReplaceOptions,
): Promise<Prepared> {
  const { expect, like, mode, signal, recorder = noRecorder } = options;
  const { shown, name } = place;
  if (place.namesDirectory) fail({ kind: 'not-a-file', path: shown, found: 'directory' });
  const old = attempt(shown, 'write', () => replaceable(place));
  // Store the old content in the journal while the draft is created, which is the slow part.
  const recording = recorder.active ? recordChange(place, old, bytes, { ...options, recorder }) : undefined;
  // Awaited below; this only prevents an unhandled rejection.
  recording?.catch(() => {});
  const draft = await draftIn(place, recording);
  let recorded: Recorded | undefined;
  try {
    await attemptAsync(shown, 'write', async () => {
      await fillDraft(draft, bytes, signal);
      setAttributes(draft, old && mode !== undefined ? { ...old, mode } : (old ?? like));
    });
    recorded = await recording;
  } catch (error) {
    // The journal must have finished with this attempt before the next one begins.
    await Promise.allSettled([recording]);
    draft.drop();
    throw error;
  }
  return {
    place,
    old,
    flush: async () => {
      // In parallel, both flushes take hardly longer than one.
      await allDone([attemptAsync(shown, 'write', () => flushDraft(draft)), recorder.flushed(place)]);
      draft.closeDescriptor();
      failIfCancelled(signal);
    },
    check: () => {
      if (expect !== undefined) attempt(shown, 'write', () => requireUnchanged(place, expect));
      else if (recorded !== undefined) attempt(shown, 'write', () => requireAsRecorded(place, recorded));
    },
    publish: () =>
      attempt(shown, 'write', () => (expect === 'absent' ? draft.publishNew(name) : draft.publish(name))),
    drop: () => draft.drop(),
  };
}

async function draftIn({ dir, shown }: Place, recording: Promise<unknown> | undefined): Promise<Draft> {
  // The files of one change get here in the same turn, and in a large directory each draft is slow to create. They also
  // resume together, so each one checks again after its pause.
  for (let pause = yieldIfDue(); pause; pause = yieldIfDue()) await pause;
  try {
    return attempt(shown, 'write', () => dir.draft());
  } catch (error) {
    await Promise.allSettled([recording]);
    throw error;
  }
}

/** What the journal has stored, to be compared with what is finally replaced. */
type Recorded = 'absent' | { stat: Stat; bytes: Buffer | undefined };

async function recordChange(
  place: Place,
  old: Stat | undefined,
  bytes: Buffer,
  { expect, like, mode, recorder }: ReplaceOptions & { recorder: ChangeRecorder },
): Promise<Recorded> {
  if (old === undefined) {
    await recorder.creates(place, 'file', { bytes, mode: like?.mode });
    return 'absent';
  }
  const known = typeof expect === 'object' ? expect.bytes : undefined;
  return { stat: old, bytes: await recorder.replaces(place, old, known, bytes, mode) };
}

function requireAsRecorded(place: Place, recorded: Recorded): void {
  if (recorded === 'absent') requireUnchanged(place, recorded);
  else if (recorded.bytes) requireUnchanged(place, { stat: recorded.stat, bytes: recorded.bytes });
  else requireStill(place, recorded.stat);
}

/** What is at the place now; fails if a file may not replace it. */
function replaceable(place: Place): Stat | undefined {
  const old = place.lstat();
  if (old === undefined) return undefined;
  if (old.type === 'symlink') fail({ kind: 'unstable', path: place.shown });
  if (old.type !== 'file') fail({ kind: 'not-a-file', path: place.shown, found: old.type });
  if (!place.dir.mayWrite(place.name)) fail({ kind: 'permission', path: place.shown, action: 'write' });
  return old;
}

/** The last check before a change: fails if the file is no longer the one that was read. */
export function requireUnchanged(place: Place, expect: FileSnapshot | 'absent'): void {
  const now = place.lstat();
  if (expect === 'absent') {
    if (now !== undefined) fail({ kind: 'exists', path: place.shown, found: now.type });
    return;
  }
  if (now === undefined || !sameFile(now, expect.stat) || !sameBytes(place, expect.bytes)) {
    fail({ kind: 'changed-meanwhile', path: place.shown });
  }
}

/** Fails if what was at the place, or that nothing was, is no longer so. Reads no content. */
export function requireStill(place: Place, expected: Stat | undefined): void {
  const now = place.lstat();
  const same = now && expected ? sameFile(now, expected) : now === expected;
  if (!same) fail({ kind: 'changed-meanwhile', path: place.shown });
}

function sameFile(a: Stat, b: Stat): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Compares the bytes, because times are too coarse: a write within the same clock tick does not show. */
function sameBytes(place: Place, expected: Buffer): boolean {
  const file = attempt(place.shown, 'read', () => place.dir.open(place.name));
  return closing(file, () => holdsBytes(file, expected));
}
