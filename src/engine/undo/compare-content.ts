/** Compares what is at a place with what an entry of the journal knows, by content or by stamp. */
import { hashOf } from '../../state/content-hash.ts';
import { closing } from '../confine/closing.ts';
import { hashOfChunks } from '../confine/content/chunks.ts';
import { readBytes } from '../confine/content/read.ts';
import { isLitterIn } from '../confine/content/sweep-drafts.ts';
import type { Dir, OpenFile, Stat } from '../confine/directory/dir.ts';
import { rawNamesInTurns } from '../confine/directory/names-in-turns.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { Yielder } from '../event-loop.ts';
import type { FileImage, Removed, TreeEntry } from '../journal/entries/entry.ts';
import { leadsTo } from '../journal/entries/link-target.ts';
import { keyOfPath } from '../journal/entries/tree-path.ts';
import { openOrUndefined } from '../journal/record/capture.ts';
import { hasStamp, stampOf } from '../journal/record/stamp.ts';
import type { Store } from '../journal/store.ts';

/** Files up to this size are read whole: chunks for thousands of small files would be most of the work. */
const SMALL_BYTES = 64 * 1024;
const SLASH = Buffer.from('/');

/** Whether a file still is what the image says. */
export async function hasContent(place: Place, now: Stat, image: Omit<FileImage, 'kept'>): Promise<boolean> {
  if (now.size !== image.size) return false;
  if (image.stamp !== undefined && image.stamp === stampOf(now)) return true;
  if (image.hash !== undefined) return (await hashAt(place, now)) === image.hash;
  return image.stamp === undefined;
}

/** The hash of a file of any size, in bounded memory; undefined when it is not a file or cannot be read. */
export function hashAt({ dir, name, shown }: Place, now: Stat): Promise<string | undefined> {
  if (now.type !== 'file') return Promise.resolve(undefined);
  return attemptAsync(shown, 'read', () => hashIn(dir, name));
}

export async function hashAside(store: Store, name: string): Promise<string | undefined> {
  // In a copied history, an entry may name something that only the first state had set aside.
  if (store.statAside(name) === undefined) return undefined;
  const { dir } = store.asideNamed(name);
  return dir.lstat(name)?.type === 'file' ? hashIn(dir, name) : undefined;
}

export function mayRead({ dir, name, shown }: Place): boolean {
  const file = attempt(shown, 'read', () => openOrUndefined({ dir, name }));
  file?.close();
  return file !== undefined;
}

async function hashIn(dir: Dir, name: string | Buffer): Promise<string | undefined> {
  const file = openOrUndefined({ dir, name });
  return file && closing(file, hashOfFile);
}

async function hashOfFile(file: OpenFile): Promise<string> {
  if (file.stat.size > SMALL_BYTES) return hashOfChunks(file);
  return hashOf(await readBytes(file, Number.MAX_SAFE_INTEGER));
}

/** Whether the tree at a place still is what the stamp says. */
export function hasStampAt(place: Place, stamp: string): Promise<boolean> {
  return place.inside((tree) => hasStamp(tree, stamp));
}

/** The names in a directory, without the temporary files that an interrupted server left there. */
export function namesIn(place: Place): string[] {
  return place.inside((dir) => {
    const names = attempt(place.shown, 'list', () => dir.rawNames());
    return names.map((name) => name.toString('utf8')).filter((name) => !isLitterIn(dir, name));
  });
}

/** How much of a tree is at a place. `other`: something is there that does not belong to the tree. */
export async function presenceOfTree(
  place: Place,
  entries: readonly TreeEntry[],
): Promise<'whole' | 'partly' | 'other'> {
  const known = new Map(entries.map((entry) => [keyOfPath(entry), entry.removed]));
  let found = 0;
  const yielder = new Yielder(undefined);
  const walk = async (dir: Dir, below: Buffer): Promise<boolean> => {
    for (const name of await rawNamesInTurns(dir, yielder)) {
      await yielder.pause();
      if (isLitterIn(dir, name.toString('utf8'))) continue;
      const path = Buffer.concat([below, name]);
      const removed = known.get(path.toString('base64'));
      if (removed === undefined || !(await isEntry(dir, name, removed))) return false;
      found++;
      const inner = removed.type === 'directory' ? dir.enterRaw(name) : undefined;
      try {
        if (inner && !(await walk(inner, Buffer.concat([path, SLASH])))) return false;
      } finally {
        inner?.close();
      }
    }
    return true;
  };
  const belongs = await place.inside((top) =>
    attemptAsync(place.shown, 'read', () => walk(top, Buffer.alloc(0))),
  );
  if (!belongs) return 'other';
  return found === known.size ? 'whole' : 'partly';
}

async function isEntry(dir: Dir, name: Buffer, removed: Removed): Promise<boolean> {
  const now = dir.lstat(name);
  if (now?.type !== removed.type) return removed.type === 'lost' && now?.type === 'special';
  if (removed.type === 'symlink') return leadsTo(dir, name, removed);
  if (removed.type !== 'file') return true;
  const { size, hash } = removed.file;
  return now.size === size && (hash === undefined || (await hashIn(dir, name)) === hash);
}
