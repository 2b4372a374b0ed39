/** Makes the directories that the state is kept in. */
import * as fs from 'node:fs';
import { dirname } from 'node:path';

/**
 * For this user alone, with the directories above it. Node's own recursive mkdir tries again for ever where a file
 * system answers ENOENT inside a directory that is there, as /proc and automounted directories do.
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
    // A link to nowhere is there and is not: say what is missing.
    fs.statSync(path);
    throw error;
  }
}

function isDirectory(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
