/** Keeps what is at a place: the content of a file, or a whole tree that cannot be set aside in one step. */
import { hashOf } from '../../../state/content-hash.ts';
import type { SetAside } from '../../../state/contents.ts';
import { isTemporary } from '../../confine/content/draft-names.ts';
import { readAndClose, readBytes } from '../../confine/content/read.ts';
import type { Dir, OpenFile, Stat } from '../../confine/directory/dir.ts';
import { rawNamesInTurns } from '../../confine/directory/names-in-turns.ts';
import { Yielder } from '../../event-loop.ts';
import { limits } from '../../limits.ts';
import type { FileImage, Removed, TreeEntry } from '../entries/entry.ts';
import { targetOf } from '../entries/link-target.ts';
import { treePath } from '../entries/tree-path.ts';
import type { Store } from '../store.ts';
import { whyFileNotKept } from './entry-quota.ts';
import { stampOf } from './stamp.ts';

/** Files of this size or more are set aside by a link where that works, so that nothing has to read them. */
export const LARGE_BYTES = 4 * 1024 * 1024;

const SLASH = Buffer.from('/');
export const SPECIAL_LOST = 'a FIFO, socket or device cannot be kept';

export interface At {
  dir: Dir;
  /** A buffer where the name may not be valid UTF-8. */
  name: string | Buffer;
}

export interface KeptFile {
  image: FileImage;
  /** The content, when this call read it or the caller already had it. */
  bytes: Buffer | undefined;
}

export interface KeepOptions {
  /** The content of the file, when the caller has read it already. */
  known?: Buffer | undefined;
  /** Whether the content must survive a power cut. Default: true. */
  flush?: boolean;
  /** The size of the largest file that is kept. */
  most?: number;
  /** Why the file is not kept. Default: it is kept. */
  why?: string | undefined;
}

export async function keepFile(store: Store, at: At, old: Stat, options: KeepOptions): Promise<KeptFile> {
  const { known, flush, most = Number.POSITIVE_INFINITY } = options;
  const why = options.why ?? (old.size > most ? whyFileNotKept(old.size, most) : undefined);
  if (why !== undefined) return notKept(old, why, known);
  if (known && known.length < LARGE_BYTES) return inStore(store, old, known, flush);
  const file = openOrUndefined(at);
  if (file === undefined) return byLink(store, at, old);
  try {
    if (file.stat.size < LARGE_BYTES) {
      return await inStore(store, old, await readBytes(file, Number.MAX_SAFE_INTEGER), flush);
    }
    const aside = store.linkAside(file, at);
    if (aside) {
      const image = imageAside(aside, old);
      return { image: known ? { ...image, hash: await hashOf(known) } : image, bytes: undefined };
    }
    const { hash, size } = await store.putFile(file);
    return { image: { size, mode: old.mode, hash, kept: { in: 'store' } }, bytes: undefined };
  } finally {
    file.close();
  }
}

async function notKept(old: Stat, why: string, known: Buffer | undefined): Promise<KeptFile> {
  const { size, mode } = old;
  const as = known ? { hash: await hashOf(known) } : { stamp: stampOf(old) };
  return { image: { size, mode, ...as, kept: { in: 'nowhere', why } }, bytes: undefined };
}

async function inStore(store: Store, old: Stat, bytes: Buffer, flush = true): Promise<KeptFile> {
  const hash = await store.put(bytes, flush);
  return { image: { size: bytes.length, mode: old.mode, hash, kept: { in: 'store' } }, bytes };
}

/** Undefined when the server may not read the file (though it may be able to replace it), or the file is gone. */
export function openOrUndefined({ dir, name }: At): OpenFile | undefined {
  try {
    return dir.open(name);
  } catch (error) {
    if (['EACCES', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** The content of a file that fits in memory; undefined when the server may not read it, or it is gone. */
export async function readOrUndefined(at: At): Promise<Buffer | undefined> {
  const file = openOrUndefined(at);
  return file && readAndClose(file, Number.MAX_SAFE_INTEGER);
}

function byLink(store: Store, { dir, name }: At, old: Stat): KeptFile {
  const aside = store.aside();
  if (!aside) throw Object.assign(new Error('it may not be read'), { code: 'EACCES' });
  dir.link(name, aside.dir, aside.name);
  return { image: imageAside(aside, old), bytes: undefined };
}

function imageAside({ dir, name }: SetAside, { size, mode }: Stat): FileImage {
  const stat = dir.lstat(name);
  return { size, mode, ...(stat && { stamp: stampOf(stat) }), kept: { in: 'aside', name } };
}

export async function captureRemoved(
  store: Store,
  at: At,
  stat: Stat,
  options: Pick<KeepOptions, 'most' | 'why'> = {},
): Promise<Removed> {
  if (stat.type === 'special') return specialAside(store, at, stat);
  if (stat.type !== 'directory') return captureLeaf(store, at, stat, options);
  if (options.why !== undefined) return { type: 'lost', why: options.why };
  const dir = at.dir.enterRaw(Buffer.from(at.name));
  if (dir === undefined) throw Object.assign(new Error('no longer a directory'), { code: 'EAGAIN' });
  try {
    const entries: TreeEntry[] = [];
    const capture = { below: Buffer.alloc(0), level: 0, into: entries, yielder: new Yielder(undefined) };
    await captureTree(store, dir, { ...capture, options: { ...options, flush: false } });
    const { mode } = stat;
    return entries.length === 0 ? { type: 'directory', mode } : { type: 'tree', mode, entries };
  } finally {
    dir.close();
  }
}

/** Sets a FIFO, socket or device aside by a second name, where it can have one: it has no content to read. */
function specialAside(store: Store, { dir, name }: At, stat: Stat): Removed {
  const lost: Removed = { type: 'lost', why: SPECIAL_LOST };
  const aside = store.isOnDevice(stat.dev) ? store.aside() : undefined;
  if (!aside) return lost;
  try {
    dir.link(name, aside.dir, aside.name);
  } catch {
    return lost;
  }
  if (aside.dir.lstat(aside.name)?.ino === stat.ino) return { type: 'aside', name: aside.name };
  aside.dir.unlink(aside.name);
  return lost;
}

interface Capture {
  /** The raw path of the directory below the top of the tree, with a slash at its end. */
  below: Buffer;
  level: number;
  into: TreeEntry[];
  yielder: Yielder;
  options: KeepOptions;
}

async function captureTree(store: Store, dir: Dir, capture: Capture): Promise<void> {
  const { below, level, into, yielder, options } = capture;
  if (level > limits.treeDepth) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
  for (const name of await rawNamesInTurns(dir, yielder)) {
    await yielder.pause();
    const stat = dir.lstat(name);
    if (stat === undefined || isTemporary(name.toString('latin1'), stat.type)) continue;
    const at = treePath(Buffer.concat([below, name]));
    if (stat.type !== 'directory') {
      into.push({ ...at, removed: await captureLeaf(store, { dir, name }, stat, options) });
      continue;
    }
    const inner = dir.enterRaw(name);
    if (inner === undefined) continue;
    try {
      into.push({ ...at, removed: { type: 'directory', mode: stat.mode } });
      const inside = { ...capture, below: Buffer.concat([below, name, SLASH]), level: level + 1 };
      await captureTree(store, inner, inside);
    } finally {
      inner.close();
    }
  }
}

async function captureLeaf(store: Store, at: At, stat: Stat, options: KeepOptions): Promise<Removed> {
  switch (stat.type) {
    case 'symlink':
      return { type: 'symlink', ...targetOf(at.dir, at.name) };
    case 'file':
      return { type: 'file', file: (await keepFile(store, at, stat, options)).image };
    default:
      return { type: 'lost', why: SPECIAL_LOST };
  }
}
