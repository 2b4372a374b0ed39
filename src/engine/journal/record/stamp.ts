/** Stamps tell whether a file or a tree is still the same, without reading much of it. */
import { createHash } from 'node:crypto';
import { closing } from '../../confine/closing.ts';
import { hashOfChunks } from '../../confine/content/chunks.ts';
import { isTemporary } from '../../confine/content/draft-names.ts';
import type { Dir, Stat } from '../../confine/directory/dir.ts';
import { rawNamesInTurns } from '../../confine/directory/names-in-turns.ts';
import { sortedInTurns, Yielder } from '../../event-loop.ts';
import { limits } from '../../limits.ts';

/** How many bytes of a tree's files a stamp covers. Of the other files it covers only names and sizes. */
const MOST_READ_BYTES = 64 * 1024 * 1024;

/** Every write to a file gives it another time, and every replacement another inode. */
export function stampOf({ ino, size, mtimeNs }: Pick<Stat, 'ino' | 'size' | 'mtimeNs'>): string {
  return `${ino}-${size}-${mtimeNs}`;
}

/** A stamp of everything in a directory and below it. */
export async function stampOfTree(dir: Dir): Promise<string> {
  const hash = createHash('sha256');
  let left = MOST_READ_BYTES;
  await walk(dir, async (inside, name, path, stat) => {
    hash.update(`${path} ${stat.type} ${stat.type === 'directory' ? '' : stat.size}\n`);
    if (stat.type !== 'file' || stat.size > left) return true;
    left -= stat.size;
    hash.update((await fileHash(inside, name)) ?? '');
    return true;
  });
  return hash.digest('hex');
}

/** How many entries a tree may have for `stampByTimes`. */
const MOST_ENTRIES = 50_000;
const BY_TIMES = 'times-';
/** The stamp of a tree that is too large to be stamped: it matches no tree. */
export const UNKNOWN_STAMP = 'unknown';

/** A stamp of a large tree by names, sizes and times: reads no file. */
export async function stampByTimes(dir: Dir): Promise<string> {
  const hash = createHash('sha256');
  let seen = 0;
  await walk(dir, async (_, __, path, stat) => {
    seen++;
    hash.update(`${path} ${stat.type} ${stat.type === 'directory' ? '' : stampOf(stat)}\n`);
    return seen <= MOST_ENTRIES;
  });
  return seen > MOST_ENTRIES ? UNKNOWN_STAMP : BY_TIMES + hash.digest('hex');
}

/** Whether a tree is still as it was when it got this stamp. */
export async function hasStamp(dir: Dir, stamp: string): Promise<boolean> {
  return stamp === (await (stamp.startsWith(BY_TIMES) ? stampByTimes(dir) : stampOfTree(dir)));
}

/** Returns false to end the walk. */
type Visit = (dir: Dir, name: Buffer, path: string, stat: Stat) => Promise<boolean>;

/** Visits a tree in an order that does not depend on the disk. */
async function walk(top: Dir, visit: Visit): Promise<void> {
  const yielder = new Yielder(undefined);
  const into = async (dir: Dir, above: string, level: number): Promise<boolean> => {
    if (level > limits.treeDepth) return true;
    const names = await rawNamesInTurns(dir, yielder);
    for (const name of await sortedInTurns(names, yielder, Buffer.compare)) {
      await yielder.pause();
      const stat = dir.lstat(name);
      if (stat === undefined || isTemporary(name.toString('latin1'), stat.type)) continue;
      const path = `${above}/${name.toString('base64')}`;
      if (!(await visit(dir, name, path, stat))) return false;
      const inner = stat.type === 'directory' ? dir.enterRaw(name) : undefined;
      try {
        if (inner && !(await into(inner, path, level + 1))) return false;
      } finally {
        inner?.close();
      }
    }
    return true;
  };
  await into(top, '', 0);
}

/** Undefined for a file that cannot be read, or whose name is not valid UTF-8. */
export async function fileHash(dir: Dir, raw: Buffer): Promise<string | undefined> {
  const name = raw.toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(raw)) return undefined;
  try {
    return await closing(dir.open(name), hashOfChunks);
  } catch {
    return undefined;
  }
}
