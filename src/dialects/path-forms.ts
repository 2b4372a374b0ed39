/** What the form of a path says, for dialects that refuse some forms without a look at the disk. */
import { sep } from 'node:path';

const SEPARATORS = sep === '\\' ? /[\\/]/ : '/';

/** True on every system for what goes up on any of them: `..\` too, although it is only a name on Linux. */
export function goesUp(path: string): boolean {
  return path.split(/[\\/]/).includes('..');
}

/** Whether a shell would look for the path in the home directory. */
export function isFromHome(path: string): boolean {
  return /^~(?:[\\/]|$)/.test(path);
}

/** The names in a path, without those that mean the directory itself. */
export function namesOf(path: string): string[] {
  return path.split(SEPARATORS).filter((name) => name !== '' && name !== '.');
}
