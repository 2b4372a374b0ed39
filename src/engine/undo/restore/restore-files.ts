/** Restores what the journal has kept: contents, files, links and whole trees. The journal records each step. */

import type { SetAside } from '../../../state/contents.ts';
import { closing } from '../../confine/closing.ts';
import { readAndClose } from '../../confine/content/read.ts';
import { flushDraft } from '../../confine/content/write.ts';
import type { Stat } from '../../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../../confine/errno.ts';
import type { Place } from '../../confine/place.ts';
import { replaceContent, requireStill } from '../../files/atomic-replace.ts';
import { moveDirectory, moveToFreeName } from '../../files/move.ts';
import { type ChangeRecorder, type CreatedFacts, changeDisk } from '../../files/recorder.ts';
import type { FileImage, Removed } from '../../journal/entries/entry.ts';
import { bytesOf, linkOf, targetOf } from '../../journal/entries/link-target.ts';
import { LARGE_BYTES } from '../../journal/record/capture.ts';
import { stampOf, stampOfTree } from '../../journal/record/stamp.ts';
import type { Store } from '../../journal/store.ts';
import { restoreTree, setMode } from './restore-tree.ts';
import { ACTION, contentOf, failLost, fillFrom } from './stored-content.ts';

/** Gives a file its old content. The journal first keeps what the file holds now. */
export async function restoreContent(
  store: Store,
  place: Place,
  image: FileImage,
  recorder: ChangeRecorder,
): Promise<void> {
  const { kept, size, mode } = image;
  const now = place.lstat();
  if (kept.in === 'aside') {
    const aside = store.asideNamed(kept.name);
    if (now) await exchange(aside, place, now, image, recorder);
    else await restoreAside(aside, place, recorder);
    return;
  }
  if (size >= LARGE_BYTES) return restoreLarge(store, place, now, image, recorder);
  const bytes = (await contentOf(store, image)) ?? failLost(place);
  await replaceContent(place, bytes, { like: { mode }, mode, recorder, flushDirectory: false });
}

/** Puts a large file that was set aside back by a rename, without reading it. */
async function exchange(
  aside: SetAside,
  place: Place,
  now: Stat,
  { size, hash }: FileImage,
  recorder: ChangeRecorder,
): Promise<void> {
  const kept = aside.dir.lstat(aside.name) ?? failLost(place);
  const stamp = stampOf(kept);
  await recorder.replaces(place, now, undefined, hash === undefined ? { size, stamp } : { size, hash });
  // The undo may replace only what the journal has kept.
  requireStill(place, now);
  changeDisk(recorder, () =>
    attempt(place.shown, ACTION, () => aside.dir.rename(aside.name, place.dir, place.name)),
  );
}

/** Restores a large file from the store, piece by piece. */
async function restoreLarge(
  store: Store,
  place: Place,
  now: Stat | undefined,
  image: FileImage,
  recorder: ChangeRecorder,
): Promise<void> {
  const { dir, name, shown } = place;
  const { size, mode, hash } = image;
  const draft = attempt(shown, ACTION, () => dir.draft());
  try {
    await attemptAsync(shown, ACTION, async () => {
      await fillFrom(store, draft, image, place);
      await flushDraft(draft);
    });
    const after = { size, mode, ...(hash !== undefined && { hash }) };
    if (now) await recorder.replaces(place, now, undefined, after, mode);
    else await recorder.creates(place, 'file', { image: after });
    await recorder.flushed(place);
    if (recorder.ready) await recorder.ready();
    requireStill(place, now);
    changeDisk(recorder, () =>
      attempt(shown, ACTION, () => (now ? draft.publish(name) : draft.publishNew(name))),
    );
  } finally {
    draft.drop();
  }
}

/** Restores something that was removed. Nothing may be at the place. */
export async function restoreRemoved(
  store: Store,
  place: Place,
  removed: Removed,
  recorder: ChangeRecorder,
): Promise<void> {
  const { dir, name, shown } = place;
  switch (removed.type) {
    case 'aside':
      await restoreAside(store.asideNamed(removed.name), place, recorder);
      break;
    case 'file':
      return restoreFile(store, place, removed.file, recorder);
    case 'symlink':
      await recorder.creates(place, 'symlink', { link: linkOf(removed) });
      changeDisk(recorder, () => attempt(shown, ACTION, () => dir.symlink(bytesOf(removed), name)));
      break;
    case 'directory':
      await recorder.creates(place, 'directory');
      changeDisk(recorder, () => attempt(shown, ACTION, () => dir.mkdir(name, removed.mode)));
      setMode(place, removed.mode);
      break;
    case 'tree':
      await recorder.creates(place, 'directory', { whole: true });
      changeDisk(recorder, () => attempt(shown, ACTION, () => dir.mkdir(name, 0o700)));
      await restoreTree(store, place, removed);
      recorder.becomes(place, 'directory', { whole: true, stamp: await place.inside(stampOfTree) });
      break;
    case 'lost':
      failLost(place);
  }
}

async function restoreFile(
  store: Store,
  place: Place,
  image: FileImage,
  recorder: ChangeRecorder,
): Promise<void> {
  if (image.kept.in === 'aside' || image.size >= LARGE_BYTES) {
    return restoreContent(store, place, image, recorder);
  }
  const bytes = (await contentOf(store, image)) ?? failLost(place);
  const like = { mode: image.mode };
  await replaceContent(place, bytes, { expect: 'absent', like, recorder, flushDirectory: false });
}

async function restoreAside(aside: SetAside, place: Place, recorder: ChangeRecorder): Promise<void> {
  const { shown } = place;
  const stat = aside.dir.lstat(aside.name) ?? failLost(place);
  if (stat.type === 'directory') {
    const stamp = await attemptAsync(shown, ACTION, () => stampAside(aside));
    await recorder.creates(place, 'directory', { whole: true, stamp });
  } else {
    const facts = await factsAside(aside, stat);
    await recorder.creates(place, stat.type, facts);
    await recorder.flushed(place);
  }
  if (recorder.ready) await recorder.ready();
  attempt(shown, ACTION, () => {
    if (stat.type === 'directory') changeDisk(recorder, () => moveDirectory(aside, place));
    else moveToFreeName(aside, place, recorder);
  });
}

/** What the journal records of a restored file: its stamp if it is large, otherwise its content. */
async function factsAside({ dir, name }: SetAside, stat: Stat): Promise<CreatedFacts> {
  if (stat.type === 'symlink') return { link: targetOf(dir, name) };
  if (stat.type !== 'file') return {};
  const { size, mode } = stat;
  const image = { size, mode, stamp: stampOf(stat) };
  if (size >= LARGE_BYTES) return { image };
  try {
    return { bytes: await readAndClose(dir.open(name), LARGE_BYTES), mode };
  } catch {
    // A file that the server may not read can still be moved.
    return { image };
  }
}

function stampAside({ dir, name }: SetAside): Promise<string> {
  const tree = dir.enterRaw(Buffer.from(name));
  if (tree === undefined) throw Object.assign(new Error('no longer a directory'), { code: 'EAGAIN' });
  return closing(tree, stampOfTree);
}
