/**
 * The directory that holds the events' files, DIR/trace, and the names in it.
 *
 * Neither the directory nor a file in it may be a symbolic link: what is written goes nowhere else, and what
 * is read comes from nowhere else. On Linux files are named below the opened directory, so that nothing can
 * be swapped in between.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

const NAME = /^(\d{4}-\d{2}-\d{2})(?:\.([1-9]\d{0,5}))?\.jsonl$/;

export interface FileName {
  name: string;
  /** As 2025-11-16, in UTC: all processes agree on it. */
  day: string;
  /** 0 for the first file of a day. */
  part: number;
}

export class TraceDirectory {
  readonly path: string;
  readonly #state: string;

  constructor(stateDirectory: string) {
    this.#state = stateDirectory;
    this.path = join(stateDirectory, 'trace');
  }

  make(): void {
    if (existsSync(this.path)) return;
    mkdirSync(this.#state, { recursive: true, mode: 0o700 });
    try {
      mkdirSync(this.path, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Oldest first; none when there is no such directory yet. */
  files(): FileName[] {
    try {
      return this.#within((at) =>
        readdirSync(at, { withFileTypes: true })
          .flatMap((entry) => (entry.isFile() ? (nameOf(entry.name) ?? []) : []))
          .sort(byAge),
      );
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** A regular file, opened; the caller closes it. */
  open(name: string, flags: number = O_RDONLY): number {
    // Without O_NONBLOCK, opening a FIFO would wait for whoever opens its other end.
    const opened = this.#within((at) => openSync(`${at}/${name}`, flags | O_NOFOLLOW | O_NONBLOCK, 0o600));
    try {
      if (fstatSync(opened).isFile()) return opened;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    closeSync(opened);
    throw new Error(`${join(this.path, name)} is no regular file`);
  }

  /** What stands at a name now; undefined when nothing does. */
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

  #within<T>(use: (at: string) => T): T {
    if (!lstatSync(this.path).isDirectory()) {
      throw new Error(`${this.path} is no directory of its own (a symbolic link is not followed)`);
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

export function fileName(day: string, part: number): string {
  return part === 0 ? `${day}.jsonl` : `${day}.${part}.jsonl`;
}

export function byAge(a: FileName, b: FileName): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.part - b.part;
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

function nameOf(name: string): FileName | undefined {
  const parts = NAME.exec(name);
  return parts ? { name, day: parts[1]!, part: Number(parts[2] ?? 0) } : undefined;
}
