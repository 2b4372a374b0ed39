/** Finds what is stored in a state directory. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Yielder } from '../../../engine/event-loop.ts';
import type { StoredContent } from '../../contents.ts';
import { namesIn, type StateFolder } from './state-folders.ts';
import { sizeOnDisk } from './whole-tree.ts';

/** The folders with contents and with what was set aside. A retired content may be in two of them. */
const FOLDERS = ['store', 'leaving', 'aside'] as const satisfies StateFolder[];
/** Something younger than this that no entry refers to may belong to an entry that is still being written. */
const YOUNG_MS = 120_000;

/** The paths under which something is stored. */
export function* pathsOf(
  directory: string,
  name: string,
  folders: readonly StateFolder[] = FOLDERS,
): Generator<string> {
  for (const folder of folders) {
    for (const file of [name, `${name}.z`]) {
      const path = join(directory, folder, file);
      if (fs.lstatSync(path, { throwIfNoEntry: false })) yield path;
    }
  }
}

/** Everything that is stored, except drafts. */
export async function* listStored(directory: string): AsyncGenerator<StoredContent> {
  const yielder = new Yielder(undefined);
  const now = Date.now();
  for (const { name, path, folder } of storedPaths(directory)) {
    await yielder.pause();
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    // A tree that was moved here keeps its modification time; its change time shows when it was moved.
    const since = folder === 'aside' ? stat.ctimeMs : stat.mtimeMs;
    yield { name, bytes: sizeOnDisk(path), young: folder !== 'leaving' && now - since < YOUNG_MS };
  }
}

export function* storedPaths(
  directory: string,
): Generator<{ name: string; path: string; folder: StateFolder }> {
  for (const folder of FOLDERS) {
    for (const file of namesIn(join(directory, folder))) {
      if (file.startsWith('.')) continue;
      yield { name: nameOf(file), path: join(directory, folder, file), folder };
    }
  }
}

/** The name of the content that a file of the store holds, deflated or not. */
export function nameOf(file: string): string {
  return file.replace(/\.z$/, '');
}
