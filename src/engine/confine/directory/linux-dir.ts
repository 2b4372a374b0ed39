/**
 * The wall on Linux: a directory is an O_PATH descriptor, and every lookup is `/proc/self/fd/N/<one name>`.
 *
 * What must stay true: each path handed to the kernel has exactly one component that others can influence,
 * relative to a descriptor that we hold, and no call follows a link in that component. Then no swap of a
 * directory or a leaf, at any moment, can lead anywhere else.
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { FileDraft } from '../content/draft.ts';
import { isTemporary, temporaryName } from '../content/draft-names.ts';
import { sweepLitterIfDue } from '../content/sweep-drafts.ts';
import { allows, exists, readSettings } from '../probe-path.ts';
import { nameBatches } from '../scan/listing.ts';
import { identityOf, toStat, typeOf } from '../stat.ts';
import type { Dir, Draft, Entered, Entry, OpenFile, Stat, WayBack } from './dir.ts';
import { NotRegular } from './dir.ts';
import { HeldAncestors } from './held-ancestors.ts';
import { oneName } from './one-name.ts';
import { O_PATH, reopened } from './reopen.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
const ENTER_ATTEMPTS = 64;

const fsync = promisify(fs.fsync);
const unlink = promisify(fs.unlink);

export class LinuxDir implements Dir {
  #fd: number | undefined;
  #identity: string | undefined;
  #wayBack: WayBack | undefined;
  #open = true;
  #ancestors: HeldAncestors | undefined;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens a directory by a path that the operator gave, never one that a client sent. */
  static hold(realPath: string): LinuxDir {
    return new LinuxDir(fs.openSync(realPath, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  }

  get fd(): number {
    // The number of a closed descriptor may already belong to another file.
    if (!this.#open) throw Object.assign(new Error('the directory is closed'), { code: 'EBADF' });
    this.#fd ??= reopened(this.#wayBack!, this.#identity!);
    this.#wayBack?.used();
    return this.#fd;
  }

  get handlePath(): string {
    return `/proc/self/fd/${this.fd}`;
  }

  get identity(): string {
    this.#identity ??= identityOf(fs.fstatSync(this.fd, { bigint: true }));
    return this.#identity;
  }

  ancestors(): string[] {
    const all = [this.identity];
    try {
      for (let levels = 1; ; levels++) {
        const above = identityOf(fs.statSync(this.#above(levels), { bigint: true }));
        if (above === all.at(-1)) return all;
        all.push(above);
      }
    } catch {
      // This user may not read the directories above.
      return all;
    }
  }

  hasAbove(levels: number, name: string): boolean {
    return exists(this.#above(levels) + oneName(name));
  }

  readAbove(levels: number, ...names: [string, ...string[]]): string | undefined {
    const [first, ...rest] = names;
    return readSettings([this.#above(levels) + oneName(first), ...rest.map(oneName)].join('/'));
  }

  stat(): Stat {
    return toStat(fs.fstatSync(this.fd, { bigint: true }));
  }

  lstat(name: string | Buffer): Stat | undefined {
    const found = fs.lstatSync(this.#atRaw(name), { bigint: true, throwIfNoEntry: false });
    return found && toStat(found);
  }

  readlink(name: string): string {
    return fs.readlinkSync(this.#at(name));
  }

  readlinkRaw(name: string | Buffer): Buffer {
    return fs.readlinkSync(this.#atRaw(name), { encoding: 'buffer' });
  }

  spelled(name: string): string {
    return name;
  }

  enter(name: string): Entered {
    for (let attempt = 0; attempt < ENTER_ATTEMPTS; attempt++) {
      try {
        return new LinuxDir(fs.openSync(this.#at(name), O_PATH | O_DIRECTORY | O_NOFOLLOW));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return 'missing';
        if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
      }
      // Not a directory when it was opened: a link, another kind of entry, or something that just changed.
      const now = this.lstat(name);
      if (now === undefined) return 'missing';
      if (now.type === 'directory') continue;
      if (now.type !== 'symlink') return 'not-a-directory';
      const linkTarget = this.#tryReadlink(name);
      if (linkTarget !== undefined) return { linkTarget };
    }
    return 'missing';
  }

  entries(): Entry[] {
    return this.#reading((path) =>
      fs
        .readdirSync(path, { withFileTypes: true })
        .map((entry) => ({ name: entry.name, type: this.#typeOf(entry) }))
        .filter(({ name, type }) => !isTemporary(name, type)),
    );
  }

  rawNames(): Buffer[] {
    return this.#reading((path) => fs.readdirSync(path, { encoding: 'buffer' }));
  }

  rawNameBatches(): Iterable<string[]> {
    return nameBatches(this.handlePath);
  }

  open(name: string | Buffer): OpenFile {
    const probe = fs.openSync(this.#atRaw(name), O_PATH | O_NOFOLLOW);
    try {
      const stat = toStat(fs.fstatSync(probe, { bigint: true }));
      if (stat.type !== 'file') throw new NotRegular(stat.type);
      return new OpenedFile(fs.openSync(`/proc/self/fd/${probe}`, O_RDONLY), stat);
    } finally {
      fs.closeSync(probe);
    }
  }

  mayWrite(name: string): boolean {
    const probe = fs.openSync(this.#at(name), O_PATH | O_NOFOLLOW);
    try {
      return allows(`/proc/self/fd/${probe}`, fs.constants.W_OK);
    } finally {
      fs.closeSync(probe);
    }
  }

  mayChangeEntries(): boolean {
    return allows(this.handlePath, fs.constants.W_OK | fs.constants.X_OK);
  }

  draft(): Draft {
    sweepLitterIfDue(this);
    const name = temporaryName();
    const fd = fs.openSync(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    return new FileDraft(fd, name, (inHere) => this.#atRaw(inHere));
  }

  mkdir(name: string | Buffer, mode = 0o777): void {
    fs.mkdirSync(this.#atRaw(name), mode);
  }

  rename(name: string, to: Dir, toName: string): void {
    fs.renameSync(this.#at(name), at(to, toName));
  }

  link(name: string | Buffer, to: Dir, toName: string): void {
    fs.linkSync(this.#atRaw(name), at(to, toName));
  }

  symlink(target: string | Buffer, name: string | Buffer): void {
    fs.symlinkSync(target, this.#atRaw(name));
  }

  unlink(name: string | Buffer): void {
    fs.unlinkSync(this.#atRaw(name));
  }

  async discard(names: readonly string[]): Promise<void> {
    // This directory may be parked before the last name is gone, so the unlinks use a descriptor of their own.
    let own: LinuxDir | undefined;
    try {
      own = this.duplicate();
      const paths = names.map((name) => own!.#at(name));
      await Promise.allSettled(paths.map((path) => unlink(path)));
    } catch {
      // No descriptor is free: the names stay.
    } finally {
      own?.close();
    }
  }

  rmdir(name: string | Buffer): void {
    fs.rmdirSync(this.#atRaw(name));
  }

  enterRaw(name: Buffer): LinuxDir | undefined {
    try {
      return new LinuxDir(fs.openSync(this.#atRaw(name), O_PATH | O_DIRECTORY | O_NOFOLLOW));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTDIR' || code === 'ELOOP') return undefined;
      throw error;
    }
  }

  duplicate(): LinuxDir {
    return new LinuxDir(fs.openSync(this.handlePath, O_PATH | O_DIRECTORY));
  }

  async flush(): Promise<void> {
    // An O_PATH descriptor cannot be flushed, so open the same directory again for reading.
    let fd: number;
    try {
      fd = fs.openSync(this.handlePath, O_RDONLY | O_DIRECTORY);
    } catch {
      return;
    }
    try {
      await fsync(fd);
    } catch {
      // Some file systems cannot flush a directory; the rename itself has happened.
    } finally {
      fs.closeSync(fd);
    }
  }

  mayPark(wayBack: WayBack): void {
    this.#wayBack = wayBack;
    // Read it while the descriptor is open: later it tells this directory from another one in its place.
    this.#identity ??= this.identity;
  }

  park(): void {
    if (!this.#wayBack || this.#fd === undefined) return;
    fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#ancestors?.close();
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
  }

  #at(name: string): string {
    return `${this.handlePath}/${oneName(name)}`;
  }

  /** The path ends with a slash. */
  #above(levels: number): string {
    this.#ancestors ??= new HeldAncestors();
    return this.#ancestors.above(this.handlePath, levels);
  }

  #atRaw(name: string | Buffer): string | Buffer {
    if (typeof name === 'string') return this.#at(name);
    if (name.includes(0x2f) || name.includes(0)) throw new Error('not one name');
    return Buffer.concat([Buffer.from(`${this.handlePath}/`), name]);
  }

  #tryReadlink(name: string): string | undefined {
    try {
      return this.readlink(name);
    } catch {
      return undefined;
    }
  }

  #reading<T>(list: (path: string) => T): T {
    const fd = fs.openSync(this.handlePath, O_RDONLY | O_DIRECTORY);
    try {
      return list(`/proc/self/fd/${fd}`);
    } finally {
      fs.closeSync(fd);
    }
  }

  #typeOf(entry: fs.Dirent): Entry['type'] {
    const type = typeOf(entry);
    if (type !== 'special') return type;
    // Some file systems do not report types in listings.
    return this.lstat(entry.name)?.type ?? 'special';
  }
}

class OpenedFile implements OpenFile {
  readonly fd: number;
  readonly stat: Stat;
  #open = true;

  constructor(fd: number, stat: Stat) {
    this.fd = fd;
    this.stat = stat;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    fs.closeSync(this.fd);
  }
}

function at(dir: Dir, name: string): string {
  return `${dir.handlePath}/${oneName(name)}`;
}
