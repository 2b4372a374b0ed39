/** Renames what a command made where it may make nothing, and says so in the command's result. */
import { asOwner } from '../../confine/directory/as-owner.ts';
import type { Dir } from '../../confine/directory/dir.ts';
import { STRAIGHT, type Wall } from '../../confine/wall.ts';
import type { RunResult } from '../process/run.ts';

const REFUSED = '.refused';

/** Renames what is at the path, and returns lines for `withNotes`: none when nothing is there. */
export function renameRefused(wall: Wall, path: string, what: string, why: string): string[] {
  try {
    return wall.at(path, { ...STRAIGHT, includeWithheld: true }, ({ dir, name }) =>
      renameRefusedIn(dir, name, what, why),
    );
  } catch {
    // It is gone, or nobody can reach it any more.
    return [];
  }
}

/** The same for a name in a held directory. */
export function renameRefusedIn(dir: Dir, name: string, what: string, why: string): string[] {
  const rename = (): string[] => {
    const free = freeName(dir, `${name}${REFUSED}`);
    dir.rename(name, dir, free);
    return [`cofferdam: ${what} to ${free}: ${why}`];
  };
  try {
    return rename();
  } catch {
    // It is gone, or the command took away the permission to rename anything in the directory.
  }
  try {
    return asOwner(dir, rename);
  } catch {
    return [];
  }
}

/** The result with notes at the end of its standard error. */
export function withNotes(result: RunResult, notes: readonly string[]): RunResult {
  if (notes.length === 0) return result;
  const gap = result.stderr === '' || result.stderr.endsWith('\n') ? '' : '\n';
  const stderr = `${result.stderr}${gap}${notes.join('\n')}\n`;
  return { ...result, stderr, stderrBytes: Buffer.byteLength(stderr) };
}

function freeName(dir: Dir, name: string): string {
  for (let count = 0; ; count++) {
    const free = count === 0 ? name : `${name}-${count}`;
    if (dir.lstat(free) === undefined) return free;
  }
}
