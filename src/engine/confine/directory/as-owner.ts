/** Gets at a directory whose owner, this user, has taken permissions from himself, or a command has for him. */
import { chmodSync } from 'node:fs';
import type { Dir } from './dir.ts';

const ALL_OF_OWNER = 0o700;
const PERMISSIONS = 0o7777;

/** Runs with all permissions of the owner on the directory, and puts its mode back. Throws where that is refused. */
export function asOwner<T>(dir: Dir, action: () => T): T {
  const mode = dir.stat().mode & PERMISSIONS;
  chmodSync(dir.handlePath, mode | ALL_OF_OWNER);
  try {
    return action();
  } finally {
    chmodSync(dir.handlePath, mode);
  }
}
