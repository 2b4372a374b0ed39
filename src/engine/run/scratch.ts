/** A private directory for what commands need beside the roots: temporary files and a few files of /etc. */

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWithin } from '../confine/roots.ts';

const PREFIX = 'cofferdam-run-';

export class Scratch {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
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
    const scratch = new Scratch(mkdtempSync(join(place, `${PREFIX}${process.pid}-`)));
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
    remove(this.path);
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
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0;
    if (pid > 0 && !runs(pid) && isOwn(join(place, name))) remove(join(place, name));
  }
}

/** Others may put such names into a shared directory too, to have something else removed. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
