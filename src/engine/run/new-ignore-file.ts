/** Renames a file that says what the server hides, when a sandboxed command made it: only the owner may say that. */
import { join } from 'node:path';
import type { Wall } from '../confine/wall.ts';
import { IGNORE_FILE } from '../confine/withheld/ignore-file.ts';
import type { RunResult } from './process/run.ts';
import { setAside, withNotes } from './set-aside.ts';

const WHY = 'only the owner of the server may say what it hides';

/** Those that are there now. A command can read them at most. */
export function ignoreFilesIn(wall: Wall): string[] {
  return wall.roots.flatMap(({ real, dir }) =>
    dir.lstat(IGNORE_FILE) === undefined ? [] : join(real, IGNORE_FILE),
  );
}

/** The result of a command, with a note at the end of its standard error for each file that it made. */
export function withoutNewIgnoreFiles(wall: Wall, before: readonly string[], result: RunResult): RunResult {
  const made = ignoreFilesIn(wall).filter((path) => !before.includes(path));
  const notes = made.flatMap((path) => setAside(wall, path, `${path} was made, and renamed`, WHY));
  return withNotes(result, notes);
}
