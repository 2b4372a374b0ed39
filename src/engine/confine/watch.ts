/**
 * Watches an entry for changes by any program.
 *
 * The system watches the held directory, not a path, so it watches neither a directory that takes its place nor the
 * target of a link. An event only means that the entry is worth another check through the wall. Where directories are
 * not held by descriptors, a path could lead elsewhere by the time the system follows it, so nothing is watched.
 */
import * as fs from 'node:fs';
import { basename } from 'node:path';
import { isTemporary } from './content/draft-names.ts';
import type { Place } from './place.ts';

export interface Watch {
  close(): void;
}

/** Undefined where this system cannot watch, or has no watches left. */
export function watchEntry(place: Place, heard: () => void): Watch | undefined {
  const isDirectory = place.lstat()?.type === 'directory';
  const dir = isDirectory ? place.enter() : place.dir;
  try {
    if (dir.fd === undefined) return undefined;
    // The system reports what happens to the directory itself, such as a move, under the last name of this path.
    const own = basename(dir.handlePath);
    const watcher = fs.watch(dir.handlePath, { persistent: false }, (_, name) => {
      if (name !== null && isTemporary(name, 'file')) return;
      if (isDirectory || name === null || name === place.name || name === own) heard();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  } finally {
    if (isDirectory) dir.close();
  }
}
