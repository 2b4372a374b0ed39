/** System calls whose refusal is an answer rather than an error. */
import { accessSync, unlinkSync } from 'node:fs';

/** Whether the system lets this user do it, see `access(2)`. */
export function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Removes a name if it is there and ours to remove. */
export function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or not ours: the next sweep tries again.
  }
}
