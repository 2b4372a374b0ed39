/** Renames a file that says what the server hides, when a sandboxed command made it: only the owner may say that. */
import { join } from 'node:path';
import type { Wall } from '../../confine/wall.ts';
import { IGNORE_FILE, WORKSPACE_FILE } from '../../confine/withheld/ignore-file.ts';
import type { RunResult } from '../process/run.ts';
import { renameRefused, withNotes } from './rename-refused.ts';

const WHY = 'only the owner of the server may say what it hides';

/** Those that are there now. A command can read them at most. */
export function ignoreFilesIn(wall: Wall): string[] {
  return filesNamed(wall, IGNORE_FILE);
}

/** A fleet recognises its directories by this: a command can read them, too, and not change them. */
export function workspaceFilesIn(wall: Wall): string[] {
  return filesNamed(wall, WORKSPACE_FILE);
}

function filesNamed(wall: Wall, name: string): string[] {
  return wall.roots.flatMap(({ real, dir }) => (dir.lstat(name) === undefined ? [] : join(real, name)));
}

/** The result of a command, with a note at the end of its standard error for each file that it made. */
export function withoutNewIgnoreFiles(wall: Wall, before: readonly string[], result: RunResult): RunResult {
  const made = ignoreFilesIn(wall).filter((path) => !before.includes(path));
  const notes = made.flatMap((path) => renameRefused(wall, path, `${path} was made, and renamed`, WHY));
  return withNotes(result, notes);
}
