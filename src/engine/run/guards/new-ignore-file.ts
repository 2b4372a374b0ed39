/** Renames a .cofferdamignore that a sandboxed command made: only the owner may say what the server hides. */
import { join } from 'node:path';
import type { Wall } from '../../confine/wall.ts';
import { IGNORE_FILE, WORKSPACE_FILE } from '../../confine/withheld/owner-files.ts';
import type { RunResult } from '../process/run.ts';
import { renameRefused, withNotes } from './rename-refused.ts';

const WHY = 'only the owner of the server may say what it hides';

/** The .cofferdamignore files of the roots. Commands can read them, but not change them. */
export function ignoreFilesIn(wall: Wall): string[] {
  return filesNamed(wall, IGNORE_FILE);
}

/** The files by which a fleet recognises its directories. Commands can read them, but not change them. */
export function workspaceFilesIn(wall: Wall): string[] {
  return filesNamed(wall, WORKSPACE_FILE);
}

function filesNamed(wall: Wall, name: string): string[] {
  return wall.roots.flatMap(({ real, dir }) => (dir.lstat(name) === undefined ? [] : join(real, name)));
}

/** The result of the command, with a note at the end of its standard error for each file that the server renamed. */
export function withoutNewIgnoreFiles(wall: Wall, before: readonly string[], result: RunResult): RunResult {
  const made = ignoreFilesIn(wall).filter((path) => !before.includes(path));
  const notes = made.flatMap((path) => renameRefused(wall, path, `${path} was made, and renamed`, WHY));
  return withNotes(result, notes);
}
