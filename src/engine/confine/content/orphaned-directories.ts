/** Removes directories that servers left in a shared place, such as /tmp, when those servers are gone. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FOREIGN_AGE_MS, isGone, SERVER_ID } from './server-identity.ts';

/** A directory is named by the prefix, the id of the server that made it, and random characters. */
export function removeOrphanedDirectories(place: string, prefix: string): void {
  const named = new RegExp(`^${prefix}(${SERVER_ID})-`);
  // Earlier versions made names with a pid alone.
  const old = new RegExp(`^${prefix}\\d+-[^-]+$`);
  for (const name of readdirSync(place)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(place, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    // In a shared directory, anybody can make such a name to get something else removed.
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
