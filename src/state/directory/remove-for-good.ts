/**
 * Removes things from the state directory at once, while other servers may be about to use them.
 *
 * Each first leaves its place, in one step and out of everybody's sight; then the journal is read again. Whoever
 * keeps something writes its line and looks afterwards whether it is there, so that one of the two sees the other:
 * what an entry needs by now is put back, and the rest goes.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from './make-directory.ts';
import { removeWhole, weightOf } from './whole-tree.ts';

const FOLDER = 'forgetting';
const FOLDERS = ['store', 'leaving', 'aside'] as const;
const OWNER_ALL = 0o700;

export interface StoredThing {
  /** A hash, or the name of something set aside. */
  name: string;
  path: string;
  bytes: number;
}

/** All that is kept in a state directory, but for what is being written. */
export function* storedThings(directory: string): Generator<StoredThing> {
  for (const folder of FOLDERS) {
    for (const file of namesIn(join(directory, folder))) {
      if (file.startsWith('.')) continue;
      const path = join(directory, folder, file);
      yield { name: nameOf(file), path, bytes: weightOf(path) };
    }
  }
}

/** Where something is kept: more than one place, while it is leaving. */
export function placesOf(directory: string, name: string): string[] {
  return FOLDERS.flatMap((folder) => [
    join(directory, folder, name),
    join(directory, folder, `${name}.z`),
  ]).filter((path) => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** `isNeeded` is asked when they are out of sight. */
export function removeForGood(
  directory: string,
  paths: Iterable<string>,
  isNeeded: () => (name: string) => boolean,
): void {
  for (const path of paths) takeOut(directory, path);
  finishRemoval(directory, isNeeded());
}

/** What was being removed when a process was killed, too. */
export function finishRemoval(directory: string, isNeeded: (name: string) => boolean): void {
  const folder = join(directory, FOLDER);
  for (const file of namesIn(folder)) {
    const [from = '', ...rest] = file.split('-');
    const kept = rest.join('-');
    const path = join(folder, file);
    if (isPlace(from) && isNeeded(nameOf(kept))) fs.renameSync(path, join(directory, backFrom(from), kept));
    else removeWhole(path);
  }
}

type Folder = (typeof FOLDERS)[number];

function isPlace(folder: string): folder is Folder {
  return (FOLDERS as readonly string[]).includes(folder);
}

function backFrom(folder: Folder): Folder {
  return folder === 'leaving' ? 'store' : folder;
}

/** Something within a thing that was set aside has no place to come back to. */
function takeOut(directory: string, path: string): void {
  const folder = join(directory, FOLDER);
  makeDirectory(folder);
  const from = FOLDERS.find((each) => join(directory, each, basename(path)) === path);
  const name = from ? `${from}-${basename(path)}` : `inside-${randomBytes(10).toString('hex')}`;
  try {
    allowingChange(dirname(path), () => fs.renameSync(path, join(folder, name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** What was deleted may have stood in a directory in which nothing may be changed. */
function allowingChange(parent: string, change: () => void): void {
  const { mode } = fs.statSync(parent);
  const closed = (mode & OWNER_ALL) !== OWNER_ALL;
  if (closed) fs.chmodSync(parent, mode | OWNER_ALL);
  try {
    change();
  } finally {
    if (closed) fs.chmodSync(parent, mode);
  }
}

function nameOf(file: string): string {
  return file.replace(/\.z$/, '');
}

function namesIn(path: string): string[] {
  try {
    return fs.readdirSync(path);
  } catch {
    return [];
  }
}
