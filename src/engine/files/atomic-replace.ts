/** Replaces a file's content in one step: the old content or the new one, never anything in between. */

import { holdsBytes } from '../confine/content/read.ts';
import { type FileAttributes, fillDraft, flushDraft, setAttributes } from '../confine/content/write.ts';
import type { Draft, Stat } from '../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { allDone, yieldIfDue } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import { type ChangeRecorder, changeDisk, noRecorder } from './recorder.ts';

/** How often a file may be exchanged under a plain write before that gives up. */
const ATTEMPTS = 5;

/** A file as it was read: a change is only made when the file is still the same. */
export interface FileSnapshot {
  stat: Stat;
  bytes: Buffer;
}

export interface ReplaceOptions {
  /** What must still be there: `absent` for a new file, a snapshot for an edit; anything when left out. */
  expect?: FileSnapshot | 'absent';
  /** Mode and owner for a new file; a replaced file keeps its own. */
  like?: FileAttributes;
  /** The mode that a replaced file gets instead of its own. */
  mode?: number;
  signal?: AbortSignal | undefined;
  recorder?: ChangeRecorder;
  /** False where the caller flushes the directory of several files once. */
  flushDirectory?: boolean;
}

/** New content, written under a temporary name. It still has to be flushed and to get its real name. */
export interface Prepared {
  readonly place: Place;
  /** The file that it replaces, if there is one. */
  readonly old: Stat | undefined;
  /** Settles when the content, and what the journal kept for it, survive a power cut. */
  flush(): Promise<void>;
  /** The last check. From here to `publish` nothing may wait: what is compared is what is replaced. */
  check(): void;
  publish(): void;
  /** Always called in the end; removes what was not published. */
  drop(): void;
}

export async function replaceContent(place: Place, bytes: Buffer, options: ReplaceOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await replaceOnce(place, bytes, options);
      break;
    } catch (error) {
      // A plain write replaces whatever is there, as soon as the journal has kept that.
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
  // The journal keeps what is there while the draft is made: to make a file takes longer than to fill it.
  const keeping = recorder.active ? keepBefore(place, old, bytes, { ...options, recorder }) : undefined;
  keeping?.catch(() => {});
  const draft = await draftIn(place, keeping);
  let seen: Seen | undefined;
  try {
    await attemptAsync(shown, 'write', async () => {
      await fillDraft(draft, bytes, signal);
      setAttributes(draft, old && mode !== undefined ? { ...old, mode } : (old ?? like));
    });
    seen = await keeping;
  } catch (error) {
    // The journal must have finished with this attempt before the next one begins.
    await Promise.allSettled([keeping]);
    draft.drop();
    throw error;
  }
  return {
    place,
    old,
    flush: async () => {
      // Side by side, both flushes take hardly longer than one.
      await allDone([attemptAsync(shown, 'write', () => flushDraft(draft)), recorder.flushed(place)]);
      draft.closeDescriptor();
      if (signal?.aborted) fail({ kind: 'cancelled' });
    },
    check: () => {
      if (expect !== undefined) attempt(shown, 'write', () => requireUnchanged(place, expect));
      else if (seen !== undefined) attempt(shown, 'write', () => requireAsSeen(place, seen));
    },
    publish: () =>
      attempt(shown, 'write', () => (expect === 'absent' ? draft.publishNew(name) : draft.publish(name))),
    drop: () => draft.drop(),
  };
}

async function draftIn({ dir, shown }: Place, keeping: Promise<unknown> | undefined): Promise<Draft> {
  // Many files of one change come here together, and a large directory makes each of them slow. All that wait continue
  // in the same turn, so each of them asks again.
  for (let pause = yieldIfDue(); pause; pause = yieldIfDue()) await pause;
  try {
    return attempt(shown, 'write', () => dir.draft());
  } catch (error) {
    await Promise.allSettled([keeping]);
    throw error;
  }
}

/** What the journal has kept, to be compared with what is replaced in the end. */
type Seen = 'absent' | { stat: Stat; bytes: Buffer | undefined };

async function keepBefore(
  place: Place,
  old: Stat | undefined,
  bytes: Buffer,
  { expect, like, mode, recorder }: ReplaceOptions & { recorder: ChangeRecorder },
): Promise<Seen> {
  if (old === undefined) {
    await recorder.creates(place, 'file', { bytes, mode: like?.mode });
    return 'absent';
  }
  const known = typeof expect === 'object' ? expect.bytes : undefined;
  return { stat: old, bytes: await recorder.replaces(place, old, known, bytes, mode) };
}

function requireAsSeen(place: Place, seen: Seen): void {
  if (seen === 'absent' || seen.bytes) {
    requireUnchanged(place, seen === 'absent' ? seen : { stat: seen.stat, bytes: seen.bytes! });
    return;
  }
  const now = place.lstat();
  if (!now || !sameFile(now, seen.stat)) fail({ kind: 'changed-meanwhile', path: place.shown });
}

/** What is at the place now, if a file may replace it. */
function replaceable(place: Place): Stat | undefined {
  const old = place.lstat();
  if (old === undefined) return undefined;
  if (old.type === 'symlink') fail({ kind: 'unstable', path: place.shown });
  if (old.type !== 'file') fail({ kind: 'not-a-file', path: place.shown, found: old.type });
  if (!place.dir.mayWrite(place.name)) fail({ kind: 'permission', path: place.shown, action: 'write' });
  return old;
}

/** The last check before a change: fails when the file is no longer what was read. */
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

function sameFile(a: Stat, b: Stat): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Times are too coarse to trust: two writes within a clock tick look like none. The bytes are compared. */
function sameBytes(place: Place, expected: Buffer): boolean {
  const file = attempt(place.shown, 'read', () => place.dir.open(place.name));
  try {
    return holdsBytes(file, expected);
  } finally {
    file.close();
  }
}
