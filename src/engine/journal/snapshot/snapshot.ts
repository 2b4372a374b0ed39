/** Takes snapshots of the directories, with enough facts to tell later what has changed. */
import type { Root } from '../../confine/roots.ts';
import {
  type EntryStat,
  isSameDirectory,
  linksIn,
  namesIn,
  type PackedDirectory,
  statAt,
} from '../../confine/scan/packed-entries.ts';
import { rawOf, shownRaw } from '../../confine/scan/raw-names.ts';
import type { TreeScanner } from '../../confine/scan/tree-scanner.ts';
import { Yielder } from '../../event-loop.ts';
import { limits } from '../../limits.ts';
import type { LinkTarget } from '../entries/entry.ts';
import { bytesOf, linkTo } from '../entries/link-target.ts';
import type { CopyLocation } from './snapshot-contents.ts';

/** Directories that no snapshot enters: they are large, and programs can make them again. */
export const NOT_ENTERED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface SnapshotEntry {
  stat: EntryStat;
  root: Root;
  /** The target of a symbolic link. */
  link?: LinkTarget;
  /** The path is not valid UTF-8: this name can be shown, but nothing can be reached by it. */
  unreachable?: true;
  /** The entry is a directory that the server could not read. */
  unread?: true;
  /** Where the content of a file was copied to. */
  copy?: CopyLocation;
}

/** A directory, or a part of a large one, with its entries. */
export interface SnapshotDirectory {
  root: Root;
  packed: PackedDirectory;
  /** Where the content of each entry was copied to: an offset, or NaN for what was not copied. */
  copies?: Float64Array;
}

export interface Snapshot {
  /** The directories, each by a key that is the same in every snapshot. */
  directories: Map<string, SnapshotDirectory>;
  /** The raw absolute paths of the directories that the server could not read. */
  unread: Set<string>;
}

/** Entries by absolute path, parents first. */
export type Entries = Map<string, SnapshotEntry>;

/** Undefined when there are too many entries, or the server may not read a root. */
export async function takeSnapshot(
  scanner: TreeScanner,
  roots: readonly Root[],
): Promise<Snapshot | undefined> {
  const directories = new Map<string, SnapshotDirectory>();
  const unread = new Set<string>();
  let entries = 0;
  for (const root of roots) {
    const scan = await scanner.scan(root.dir, {
      notEntered: [...NOT_ENTERED],
      mostEntries: limits.watchedEntries,
    });
    if (scan.tooMany || scan.unread.includes('')) return undefined;
    const above = root.real === '/' ? '' : rawOf(root.real);
    for (const packed of scan.directories) {
      // A root may be inside another one, whose scan has found the same directory.
      const key = `${above}/${packed.path}\0${packed.part}`.replace('/\0', '\0');
      if (directories.has(key)) continue;
      directories.set(key, { root, packed });
      entries += packed.count;
    }
    for (const path of scan.unread) unread.add(`${above}/${path}`);
  }
  return entries > limits.watchedEntries ? undefined : { directories, unread };
}

/** Whether there are too many entries for a snapshot. Reads only names, so it is quicker than trying to take one. */
export async function isTooLarge(scanner: TreeScanner, roots: readonly Root[]): Promise<boolean> {
  let left: number = limits.watchedEntries;
  for (const { dir } of roots) {
    const asked = { notEntered: [...NOT_ENTERED], mostEntries: left, countOnly: true };
    const { tooMany, count } = await scanner.scan(dir, asked);
    if (tooMany) return true;
    left -= count;
  }
  return left < 0;
}

/** The entries of all directories that differ between two snapshots. */
export async function differing(
  before: Snapshot,
  after: Snapshot,
): Promise<{ before: Entries; after: Entries }> {
  const yielder = new Yielder(undefined);
  const keys: string[] = [];
  for (const [key, { packed }] of before.directories) {
    if (yielder.isDue) await yielder.pause();
    const now = after.directories.get(key);
    if (!now || !isSameDirectory(packed, now.packed)) keys.push(key);
  }
  for (const key of after.directories.keys()) if (!before.directories.has(key)) keys.push(key);
  keys.sort();
  const entries: { before: Entries; after: Entries } = { before: new Map(), after: new Map() };
  for (const key of keys) {
    if (yielder.isDue) await yielder.pause();
    addEntries(entries.before, before, key);
    addEntries(entries.after, after, key);
  }
  return entries;
}

function addEntries(entries: Entries, { directories, unread }: Snapshot, key: string): void {
  const directory = directories.get(key);
  if (!directory) return;
  const { root, packed, copies } = directory;
  const path = shownRaw(packed.path);
  const links = linksIn(packed);
  const above = `${root.real === '/' ? '' : root.real}/${path.text === '' ? '' : `${path.text}/`}`;
  const rawAbove = key.slice(0, key.indexOf('\0'));
  for (const [index, raw] of namesIn(packed).entries()) {
    const name = shownRaw(raw);
    const stat = statAt(packed, index);
    const offset = copies?.[index] ?? Number.NaN;
    const target = links.get(index);
    entries.set(above + name.text, {
      stat,
      root,
      ...(target && name.isText && path.isText && { link: linkTo(Buffer.from(target, 'latin1')) }),
      ...(!Number.isNaN(offset) && { copy: { offset, size: stat.size } }),
      ...(!(name.isText && path.isText) && { unreachable: true as const }),
      ...(unread.has(`${rawAbove}/${raw}`) && { unread: true as const }),
    });
  }
}

/** Whether something of another type is there now, or a link with another target. Says nothing about contents. */
export function isReplaced(was: SnapshotEntry, is: SnapshotEntry): boolean {
  if (was.stat.type !== is.stat.type) return true;
  return was.link !== undefined && is.link !== undefined && !bytesOf(was.link).equals(bytesOf(is.link));
}
