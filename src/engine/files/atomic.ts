/** Replaces a file's content in one step: the old content or the new one, never anything in between. */
import type { Stat } from '../confine/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { readBytesSync } from '../confine/reading.ts';
import { dressDraft, fillDraft, flushDraft } from '../confine/writing.ts';
import { fail } from '../failures.ts';

/** A file as it was read: a change is only made when the file is still the same. */
export interface Snapshot {
  stat: Stat;
  bytes: Buffer;
}

export interface ReplaceOptions {
  /** What must still stand there: `absent` for a new file, a snapshot for an edit; anything when left out. */
  expect?: Snapshot | 'absent';
  /** Mode and owner for a new file; a replaced file keeps its own. */
  like?: Stat;
  signal?: AbortSignal | undefined;
}

/** New content, written and flushed under a temporary name: it lacks only its real one. */
export interface Prepared {
  readonly place: Place;
  /** The file that it replaces, if there is one. */
  readonly old: Stat | undefined;
  /** The last look. From here to `publish` nothing may wait: what is compared is what is replaced. */
  check(): void;
  publish(): void;
  /** Always called in the end; removes what was not published. */
  drop(): void;
}

export async function replaceContent(place: Place, bytes: Buffer, options: ReplaceOptions): Promise<void> {
  const prepared = await prepareContent(place, bytes, options);
  try {
    prepared.check();
    prepared.publish();
  } finally {
    prepared.drop();
  }
  await attemptAsync(place.shown, 'write', () => place.dir.flush());
}

export async function prepareContent(
  place: Place,
  bytes: Buffer,
  { expect, like, signal }: ReplaceOptions,
): Promise<Prepared> {
  const { shown, name, dir } = place;
  if (place.namesDirectory) fail({ kind: 'not-a-file', path: shown, found: 'directory' });
  const old = attempt(shown, 'write', () => replaceable(place));
  const draft = attempt(shown, 'write', () => dir.draft());
  try {
    await attemptAsync(shown, 'write', async () => {
      await fillDraft(draft, bytes, signal);
      dressDraft(draft, old ?? like);
      await flushDraft(draft);
    });
    if (signal?.aborted) fail({ kind: 'cancelled' });
  } catch (error) {
    draft.drop();
    throw error;
  }
  return {
    place,
    old,
    check: () => {
      if (expect !== undefined) attempt(shown, 'write', () => requireUnchanged(place, expect));
    },
    publish: () =>
      attempt(shown, 'write', () => (expect === 'absent' ? draft.publishNew(name) : draft.publish(name))),
    drop: () => draft.drop(),
  };
}

/** What stands at the place now, if it may be replaced by a file. */
function replaceable(place: Place): Stat | undefined {
  const old = place.lstat();
  if (old === undefined) return undefined;
  if (old.type === 'symlink') fail({ kind: 'unstable', path: place.shown });
  if (old.type !== 'file') fail({ kind: 'not-a-file', path: place.shown, found: old.type });
  if (!place.dir.mayWrite(place.name)) fail({ kind: 'permission', path: place.shown, action: 'write' });
  return old;
}

/** The last look before a change: fails when the file is no longer what was read. */
export function requireUnchanged(place: Place, expect: Snapshot | 'absent'): void {
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
    return readBytesSync(file, expected.length + 1).equals(expected);
  } finally {
    file.close();
  }
}
