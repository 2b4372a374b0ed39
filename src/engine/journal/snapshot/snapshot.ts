/** What is in the directories at one moment: enough to tell later what has changed. */
import { isUtf8 } from 'node:buffer';
import { isTemporary } from '../../confine/content/drafts.ts';
import type { Dir, Entry, Stat } from '../../confine/dir.ts';
import { failFrom, isShortage } from '../../confine/errno.ts';
import type { Root } from '../../confine/roots.ts';
import { Yielder } from '../../event-loop.ts';
import { limits } from '../../limits.ts';
import type { LinkTarget } from '../entries/entry.ts';
import { bytesOf, targetOf } from '../entries/link-target.ts';
import type { CopyLocation } from './snapshot-contents.ts';

/** More than this is not looked through before and after each command. */
export const MOST_ENTRIES = 100_000;
/** Large, made by programs, and made again by them. */
export const NOT_ENTERED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface SnapshotEntry {
  stat: Stat;
  root: Root;
  /** Of a symbolic link. */
  link?: LinkTarget;
  /** Its path is not valid UTF-8: it can be told of, but not be reached under what it is called here. */
  unreachable?: true;
  /** Where what it holds was copied to. */
  copy?: CopyLocation;
}

/** By absolute path, parents first; undefined when there is too much of it. */
export type Snapshot = Map<string, SnapshotEntry>;

/** `visit` sees each file while its directory is held, and may copy what it holds. */
export async function takeSnapshot(
  roots: readonly Root[],
  visit?: (at: { dir: Dir; name: string; path: string; root: Root }, stat: Stat) => CopyLocation | undefined,
): Promise<Snapshot | undefined> {
  const found = new Map<string, SnapshotEntry>();
  const yielder = new Yielder(undefined);
  const walk = async (dir: Dir, path: string, root: Root, level: number, named = true): Promise<boolean> => {
    if (level > limits.treeDepth) return true;
    for (const raw of rawNamesOf(dir)) {
      if (yielder.isDue) await yielder.pause();
      const isText = isUtf8(raw);
      const name = isText ? raw.toString('utf8') : inEscapes(raw);
      const reachable = named && isText;
      const below = `${path === '/' ? '' : path}/${name}`;
      const stat = dir.lstat(isText ? name : raw);
      if (stat === undefined || isTemporary(name, stat.type) || found.has(below)) continue;
      if (found.size >= MOST_ENTRIES) return false;
      const link = reachable && stat.type === 'symlink' ? linkOf(dir, name) : undefined;
      const copy =
        reachable && stat.type === 'file' ? visit?.({ dir, name, path: below, root }, stat) : undefined;
      const more = {
        ...(link && { link }),
        ...(copy && { copy }),
        ...(!reachable && { unreachable: true as const }),
      };
      found.set(below, { stat, root, ...more });
      if (stat.type !== 'directory' || NOT_ENTERED.has(name)) continue;
      const inner = enter(dir, raw);
      if (inner === undefined) continue;
      try {
        if (!(await walk(inner, below, root, level + 1, reachable))) return false;
      } finally {
        inner.close();
      }
    }
    return true;
  };
  for (const root of roots) if (!(await walk(root.dir, root.real, root, 0))) return undefined;
  return found;
}

/** Without a look at anything but names: quick where it is known to be much. */
export async function isTooLarge(roots: readonly Root[]): Promise<boolean> {
  const yielder = new Yielder(undefined);
  let left = MOST_ENTRIES;
  const count = async (dir: Dir, level: number): Promise<void> => {
    if (level > limits.treeDepth) return;
    const entries = entriesOf(dir);
    left -= entries.length;
    for (const { name, type } of entries) {
      if (left < 0) return;
      if (type !== 'directory' || NOT_ENTERED.has(name)) continue;
      if (yielder.isDue) await yielder.pause();
      const inner = enter(dir, Buffer.from(name));
      await (inner && count(inner, level + 1).finally(() => inner.close()));
    }
  };
  for (const { dir } of roots) await count(dir, 0);
  return left < 0;
}

function entriesOf(dir: Dir): Entry[] {
  try {
    return dir.entries();
  } catch (error) {
    if (isShortage(error)) failFrom(error, '.', 'list');
    return [];
  }
}

/** Whether something else stands there now, or a link that leads elsewhere; not whether a content was changed. */
export function isOther(was: SnapshotEntry, is: SnapshotEntry): boolean {
  if (was.stat.type !== is.stat.type) return true;
  return was.link !== undefined && is.link !== undefined && !bytesOf(was.link).equals(bytesOf(is.link));
}

/** What may not be read is not looked through. */
function rawNamesOf(dir: Dir): Buffer[] {
  try {
    return dir.rawNames();
  } catch (error) {
    if (isShortage(error)) failFrom(error, '.', 'list');
    return [];
  }
}

/** For eyes: a name that is no text, with its bytes as `\xe9`. */
function inEscapes(raw: Buffer): string {
  return raw.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

function linkOf(dir: Dir, name: string): LinkTarget | undefined {
  try {
    return targetOf(dir, name);
  } catch {
    return undefined;
  }
}

function enter(dir: Dir, raw: Buffer): Dir | undefined {
  try {
    return dir.enterRaw(raw);
  } catch (error) {
    if (isShortage(error)) failFrom(error, '.', 'list');
    return undefined;
  }
}
