/** A private directory for what commands need beside the roots: temporary files and a few files of /etc. */

import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOREIGN_AGE_MS, isGone, SERVER_ID, serverId } from '../confine/content/server-identity.ts';
import { isWithin } from '../confine/roots.ts';

const PREFIX = 'cofferdam-run-';
const NAME = new RegExp(`^${PREFIX}(${SERVER_ID})-`);
/** Before this, names carried only a pid. */
const OLD_NAME = new RegExp(`^${PREFIX}\\d+-[^-]+$`);
/** Servers of other containers give up what looks older than a day. */
const RENEW_EVERY_MS = 3_600_000;

export class Scratch {
  readonly path: string;

  readonly #renewing: NodeJS.Timeout;

  private constructor(path: string) {
    this.path = path;
    this.#renewing = setInterval(() => renew(path), RENEW_EVERY_MS);
    this.#renewing.unref();
  }

  /** Makes the directory where no root can reach it, and sweeps those of servers that are gone. */
  static make(roots: readonly string[]): Scratch {
    const places = [tmpdir(), '/var/tmp', '/dev/shm'].flatMap((place) => {
      try {
        return realpathSync(place);
      } catch {
        return [];
      }
    });
    const place = places.find((one) => !roots.some((root) => isWithin(one, root))) ?? places[0]!;
    sweep(place);
    const scratch = new Scratch(mkdtempSync(join(place, `${PREFIX}${serverId()}-`)));
    mkdirSync(scratch.places.home);
    mkdirSync(scratch.places.temporary);
    scratch.#writeEtc();
    return scratch;
  }

  /** Where the few files of /etc stand that a sandboxed command finds in place of the system's. */
  get etc(): string {
    return join(this.path, 'etc');
  }

  /** Where programs of the package are kept, when they cannot be used where they stand. */
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

  /** The home of commands that run without a sandbox, and their place for temporary files. */
  get places(): { home: string; temporary: string } {
    return { home: join(this.path, 'home'), temporary: join(this.path, 'tmp') };
  }

  drop(): void {
    clearInterval(this.#renewing);
    remove(this.path);
  }
}

function renew(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Removed by somebody: there is nothing left to keep.
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // What a command made unremovable stays behind for the next sweep.
  }
}

function sweep(place: string): void {
  for (const name of readdirSync(place)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(place, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    // Others may put such names into a shared directory too, to have something else removed.
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    if (isLeft(name, Date.now() - found.mtimeMs)) remove(path);
  }
}

function isLeft(name: string, ageMs: number): boolean {
  const server = NAME.exec(name)?.[1];
  return server === undefined ? OLD_NAME.test(name) && ageMs > FOREIGN_AGE_MS : isGone(server, ageMs);
}
