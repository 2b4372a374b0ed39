/**
 * The files of one log, DIR/YYYY-MM-DD[.n].jsonl, in the order of their records.
 *
 * Neither the directory nor a file in it may be a symbolic link, so nothing is written to or read from another place.
 * On Linux, files are named relative to the opened directory, so that nobody can swap the directory in between.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { platform } from 'node:process';
import { DAY_MS, dayOf } from '../../day.ts';
import { makeDirectory } from '../make-directory.ts';

const { O_CREAT, O_DIRECTORY = 0, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;

const NAME = /^(\d{4}-\d{2}-\d{2})(?:\.([1-9]\d{0,5}))?\.jsonl$/;

interface FileName {
  name: string;
  /** Such as 2025-11-16, in UTC, so that all processes agree on it. */
  day: string;
  /** 0 for the first file of a day. */
  part: number;
}

export interface LogFile extends FileName {
  size: number;
  inode: number;
}

export class LogFiles {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  make(): void {
    if (existsSync(this.path)) return;
    makeDirectory(dirname(this.path));
    try {
      mkdirSync(this.path, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** The regular files of the log, oldest first; none while the directory does not exist. */
  list(): LogFile[] {
    try {
      return this.#within((at) => {
        const names = readdirSync(at).flatMap((name) => partsOf(name) ?? []);
        return names.sort(byAge).flatMap((each) => {
          const stat = lstatSync(`${at}/${each.name}`, { throwIfNoEntry: false });
          return stat?.isFile() ? [{ ...each, size: stat.size, inode: stat.ino }] : [];
        });
      });
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Opens a regular file; the caller closes it. */
  open(name: string, flags: number = O_RDONLY): number {
    // Without O_NONBLOCK, opening a FIFO would wait for a program that opens its other end.
    const opened = this.#within((at) => openSync(`${at}/${name}`, flags | O_NOFOLLOW | O_NONBLOCK, 0o600));
    try {
      if (fstatSync(opened).isFile()) return opened;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    closeSync(opened);
    throw new Error(`${join(this.path, name)} is not a regular file`);
  }

  /** Opens a file for reading; undefined when the file is gone. */
  openIfThere(name: string): number | undefined {
    try {
      return this.open(name);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The stat of what has this name now; undefined when nothing has. */
  statOf(name: string): Stats | undefined {
    try {
      return this.#within((at) => lstatSync(`${at}/${name}`, { throwIfNoEntry: false }));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  remove(name: string): void {
    try {
      this.#within((at) => unlinkSync(`${at}/${name}`));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  /** Replaces a file in one step. */
  replace(name: string, write: (fd: number) => void): void {
    this.#within((at) => {
      const draft = `${at}/.${name}-${randomBytes(6).toString('hex')}`;
      const fd = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        write(fd);
        fsyncSync(fd);
        renameSync(draft, `${at}/${name}`);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      } finally {
        closeSync(fd);
      }
    });
  }

  areEmpty(): boolean {
    return this.list().every(({ size }) => size === 0);
  }

  /** Replaces this directory with another one in one step; false, and nothing done, unless this one is empty. */
  takeFrom(directory: string): boolean {
    if (!this.areEmpty()) return false;
    for (const { name } of this.list()) this.remove(name);
    try {
      if (existsSync(this.path)) rmdirSync(this.path);
      renameSync(directory, this.path);
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false;
      throw error;
    }
    flushDirectory(dirname(this.path));
    return true;
  }

  #within<T>(use: (at: string) => T): T {
    if (!lstatSync(this.path).isDirectory()) {
      throw new Error(`${this.path} is not a real directory (symbolic links are not followed)`);
    }
    if (platform !== 'linux') return use(this.path);
    const held = openSync(this.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      const at = `/proc/self/fd/${held}`;
      return use(existsSync(at) ? at : this.path);
    } finally {
      closeSync(held);
    }
  }
}

/** Does nothing on systems that cannot flush directories. */
function flushDirectory(path: string): void {
  try {
    const fd = openSync(path, O_RDONLY | O_DIRECTORY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {}
}

export function fileName(day: string, part: number): string {
  return part === 0 ? `${day}.jsonl` : `${day}.${part}.jsonl`;
}

/** Whether a process may still append to a file: clocks differ, and a line may be written around midnight. */
export function mayGrow({ day }: FileName, now: number): boolean {
  return day >= dayOf(now - DAY_MS);
}

export function byAge(a: FileName, b: FileName): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.part - b.part;
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

function partsOf(name: string): FileName | undefined {
  const parts = NAME.exec(name);
  return parts ? { name, day: parts[1]!, part: Number(parts[2] ?? 0) } : undefined;
}
