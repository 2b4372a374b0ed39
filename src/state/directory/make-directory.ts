/** Makes the directories that hold the state. */
import * as fs from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory for this user alone, with the directories above it. Node's own recursive mkdir retries for ever
 * when a file system answers ENOENT inside an existing directory, as /proc and automounted directories do.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it since.
    if (isDirectory(path)) return;
    // For a dangling link, mkdir fails with EEXIST. This throws ENOENT instead, which says what is missing.
    fs.statSync(path);
    throw error;
  }
}

function isDirectory(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
