/** What is in a state directory, and where. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Yielder } from '../../../engine/event-loop.ts';
import type { StoredContent } from '../../contents.ts';
import { namesIn, type StateFolder } from './state-folders.ts';
import { sizeOnDisk } from './whole-tree.ts';

/** Where contents and things set aside lie: in more than one place while they are leaving. */
const FOLDERS = ['store', 'leaving', 'aside'] as const satisfies StateFolder[];
/** What is younger and belongs to no entry may belong to one that is being written. */
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

/** Everything, but for what is being written. */
export async function* listStored(directory: string): AsyncGenerator<StoredContent> {
  const yielder = new Yielder(undefined);
  const now = Date.now();
  for (const { name, path, folder } of storedPaths(directory)) {
    await yielder.pause();
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    // What was moved here keeps its own time; when it came shows in its change time.
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

/** Of a file in the store, as it is or deflated. */
export function nameOf(file: string): string {
  return file.replace(/\.z$/, '');
}
