/** A private directory for what commands need besides the roots: temporary files and a few files of /etc. */

import { mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDirectory, removeOrphanedDirectories } from '../confine/content/orphaned-directories.ts';
import { serverId } from '../confine/content/server-identity.ts';
import { isWithin } from '../confine/roots.ts';

const PREFIX = 'cofferdam-run-';
/** Servers in other containers remove a directory whose owner has not renewed it for a day. */
const RENEW_EVERY_MS = 3_600_000;

export class Scratch {
  readonly path: string;

  readonly #renewal: NodeJS.Timeout;

  private constructor(path: string) {
    this.path = path;
    this.#renewal = setInterval(() => renew(path), RENEW_EVERY_MS);
    this.#renewal.unref();
  }

  /** Makes the directory outside every root, and removes those of servers that are gone. */
  static make(roots: readonly string[]): Scratch {
    const places = [tmpdir(), '/var/tmp', '/dev/shm'].flatMap((place) => {
      try {
        return realpathSync(place);
      } catch {
        return [];
      }
    });
    const place = places.find((one) => !roots.some((root) => isWithin(one, root))) ?? places[0]!;
    removeOrphanedDirectories(place, PREFIX);
    const scratch = new Scratch(mkdtempSync(join(place, `${PREFIX}${serverId()}-`)));
    mkdirSync(scratch.places.home);
    mkdirSync(scratch.places.temporary);
    mkdirSync(scratch.empty);
    scratch.#writeEtc();
    return scratch;
  }

  /** The files that a sandboxed command sees in /etc instead of the system's. */
  get etc(): string {
    return join(this.path, 'etc');
  }

  /** An empty directory, which commands see in place of masked ones. */
  get empty(): string {
    return join(this.path, 'empty');
  }

  /** Copies of the programs that come with the package. */
  get bin(): string {
    return join(this.path, 'bin');
  }

  #writeEtc(): void {
    const uid = process.getuid?.() ?? 0;
    const gid = process.getgid?.() ?? 0;
    mkdirSync(this.etc);
    writeFileSync(join(this.etc, 'passwd'), `user:x:${uid}:${gid}::/tmp:/bin/sh\n`);
    writeFileSync(join(this.etc, 'group'), `user:x:${gid}:\n`);
    writeFileSync(join(this.etc, 'hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  }

  /** The home directory of commands without a sandbox, and their directory for temporary files. */
  get places(): { home: string; temporary: string } {
    return { home: join(this.path, 'home'), temporary: join(this.path, 'tmp') };
  }

  drop(): void {
    clearInterval(this.#renewal);
    removeDirectory(this.path);
  }
}

function renew(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Another program removed it.
  }
}
