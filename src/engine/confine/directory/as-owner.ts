/** Gets into a directory that this user owns but has no permissions on, perhaps because a command took them. */
import { chmodSync } from 'node:fs';
import type { Dir } from './dir.ts';

const ALL_OF_OWNER = 0o700;
const PERMISSIONS = 0o7777;

/** Gives the owner all permissions on the directory, runs `action`, and restores the mode. Throws if refused. */
export function asOwner<T>(dir: Dir, action: () => T): T {
  const mode = dir.stat().mode & PERMISSIONS;
  chmodSync(dir.handlePath, mode | ALL_OF_OWNER);
  try {
    return action();
  } finally {
    chmodSync(dir.handlePath, mode);
  }
}
