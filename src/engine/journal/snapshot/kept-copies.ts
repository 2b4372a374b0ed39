/** Copies small files before a command, and reuses earlier copies of files that have not changed since. */

import type { Root } from '../../confine/roots.ts';
import { absolutePath } from '../../confine/scan/child-path.ts';
import {
  changedMsAt,
  isSameDirectory,
  isSameEntry,
  namesIn,
  type PackedDirectory,
  sizeAt,
  typeAt,
} from '../../confine/scan/packed-entries.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import type { Copies, DirectoryFiles, TreeScanner } from '../../confine/scan/tree-scanner.ts';
import { Yielder } from '../../event-loop.ts';
import { SMALL_BYTES } from '../record/small-content.ts';
import { isSecretName } from './secret-names.ts';
import type { Snapshot, SnapshotDirectory } from './snapshot.ts';
import type { SnapshotContents } from './snapshot-contents.ts';

/** A file that was changed this shortly before it was copied may have changed again without getting another time. */
const UNSURE_MS = 2000;
/** The share of the room that the first snapshot leaves for files that change later. */
const RESERVED = 1 / 8;
/** Room is scarce when less than this share of it is left. */
const SCARCE = 1 / 16;

interface KnownDirectory {
  packed: PackedDirectory;
  copies: Float64Array;
  /** Whether all of its small files were copied, none of them so soon after a change that it must be copied again. */
  isSettled: boolean;
  /** When its files were copied. */
  at: number;
  /** How many bytes its copies take. */
  bytes: number;
}

/** A file to copy, and where to note its copy. */
interface WantedCopy {
  directory: SnapshotDirectory;
  known: KnownDirectory;
  index: number;
}

export class KeptCopies {
  #known = new Map<string, KnownDirectory>();
  /** When the newest file of the first snapshot was changed. */
  #newestMs = 0;

  clear(): void {
    this.#known.clear();
    this.#newestMs = 0;
  }

  /** Whether room is scarce and outdated copies take so much of it that it pays to copy all files again. */
  areOutdated({ most, room }: SnapshotContents): boolean {
    const scarce = most * SCARCE;
    if (room >= scarce) return false;
    let bytes = 0;
    for (const known of this.#known.values()) bytes += known.bytes;
    return most - room - bytes >= scarce;
  }

  /** Copies small files and notes in the snapshot where. Returns the code of an error if some could not be copied. */
  async take(
    snapshot: Snapshot,
    scanner: TreeScanner,
    contents: SnapshotContents,
  ): Promise<string | undefined> {
    const yielder = new Yielder(undefined);
    const known = new Map<string, KnownDirectory>();
    const wanted = new Map<Root, Map<string, WantedCopy>>();
    const now = Date.now();
    const isFirst = this.#known.size === 0;
    const reserve = contents.most * RESERVED;
    let { room } = contents;
    for (const [key, directory] of snapshot.directories) {
      if (yielder.isDue) await yielder.pause();
      const own = knownFrom(this.#known.get(key), directory.packed, now);
      directory.copies = own.copies;
      known.set(key, own);
      if (own.isSettled) continue;
      const files = wanted.get(directory.root) ?? new Map<string, WantedCopy>();
      wanted.set(directory.root, files);
      own.isSettled = true;
      for (const [path, index] of filesToCopy(directory, own.copies)) {
        const size = sizeAt(directory.packed, index);
        const changedMs = changedMsAt(directory.packed, index);
        if (isFirst) this.#newestMs = Math.max(this.#newestMs, changedMs);
        const isChanged = !isFirst && changedMs > this.#newestMs;
        // The directory still counts as settled: room never grows unless all copies are dropped.
        if (size > (isChanged ? room : room - reserve)) continue;
        room -= size;
        files.set(path, { directory, known: own, index });
      }
    }
    let problem: string | undefined;
    for (const [root, files] of wanted) {
      if (files.size === 0) continue;
      for (const copies of await scanner.copy(root.dir, byDirectory(files), contents.target())) {
        problem ??= copies.problem;
        await this.#note(copies, files, yielder);
      }
      // The next command tries again to copy what could not be copied now.
      for (const each of files.values()) each.known.isSettled = false;
    }
    this.#known = known;
    return problem;
  }

  async #note(copies: Copies, files: Map<string, WantedCopy>, yielder: Yielder): Promise<void> {
    const { paths, offsets, facts } = copies;
    const now = Date.now();
    for (const [at, path] of paths.entries()) {
      if (yielder.isDue) await yielder.pause();
      const { directory, known, index } = files.get(path)!;
      files.delete(path);
      // The file has changed since the snapshot: what was copied is not what the snapshot has seen.
      if (!isSameEntry(directory.packed, index, { facts }, at)) known.isSettled = false;
      else {
        known.copies[index] = offsets[at]!;
        known.bytes += sizeAt(directory.packed, index);
      }
      if (now - changedMsAt(directory.packed, index) <= UNSURE_MS) known.isSettled = false;
    }
  }
}

/** Takes over the copies of an earlier snapshot for files that have not changed. */
function knownFrom(before: KnownDirectory | undefined, packed: PackedDirectory, now: number): KnownDirectory {
  if (before?.isSettled && isSameDirectory(before.packed, packed)) return { ...before, packed };
  const names = namesIn(packed);
  const copies = new Float64Array(names.length).fill(Number.NaN);
  let bytes = 0;
  if (before) {
    const places = new Map(namesIn(before.packed).map((name, index) => [name, index]));
    for (const [index, name] of names.entries()) {
      const was = places.get(name);
      if (was === undefined || !isSameEntry(packed, index, before.packed, was)) continue;
      if (before.at - changedMsAt(packed, index) <= UNSURE_MS) continue;
      copies[index] = before.copies[was]!;
      if (!Number.isNaN(copies[index])) bytes += sizeAt(packed, index);
    }
  }
  return { packed, copies, isSettled: false, at: now, bytes };
}

/** The raw paths and the indexes of small files that have no copy yet, except those with the name of a secret. */
function* filesToCopy(
  { root, packed }: SnapshotDirectory,
  copies: Float64Array,
): Generator<[path: string, index: number]> {
  const above = packed.path === '' ? '' : `${packed.path}/`;
  for (const [index, name] of namesIn(packed).entries()) {
    if (!Number.isNaN(copies[index]) || typeAt(packed, index) !== 'file') continue;
    if (sizeAt(packed, index) > SMALL_BYTES) continue;
    const path = above + name;
    if (!isSecretName(absolutePath(root.real, textOf(path)), root.real)) yield [path, index];
  }
}

function byDirectory(files: ReadonlyMap<string, WantedCopy>): DirectoryFiles[] {
  const directories = new Map<SnapshotDirectory, string[]>();
  for (const [path, { directory }] of files) {
    const names = directories.get(directory);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (names) names.push(name);
    else directories.set(directory, [name]);
  }
  return [...directories].map(([{ packed }, names]) => ({ path: packed.path, names }));
}
