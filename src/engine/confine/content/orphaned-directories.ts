/** Directories with a prefix of ours in a shared place, such as /tmp: removes those of servers that are gone. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FOREIGN_AGE_MS, isGone, SERVER_ID } from './server-identity.ts';

/** Directories are named by the prefix, the server that made them, and random characters. */
export function removeOrphanedDirectories(place: string, prefix: string): void {
  const named = new RegExp(`^${prefix}(${SERVER_ID})-`);
  // Names that earlier versions made, with a pid alone.
  const old = new RegExp(`^${prefix}\\d+-[^-]+$`);
  for (const name of readdirSync(place)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(place, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    // In a shared directory anybody can make such names, to get something else removed.
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    const ageMs = Date.now() - found.mtimeMs;
    const server = named.exec(name)?.[1];
    const isLeft = server === undefined ? old.test(name) && ageMs > FOREIGN_AGE_MS : isGone(server, ageMs);
    if (isLeft) removeDirectory(path);
  }
}

export function removeDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // A command made something in it unremovable: the next sweep tries again.
  }
}
