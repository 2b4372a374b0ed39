/**
 * The wall where the system offers no descriptor-relative lookups: macOS, Windows, or Linux without /proc.
 *
 * A directory is its real path and its identity. Every operation checks that the path still leads to that
 * very directory, before and (for opens, on the opened handle) after. On macOS opens also refuse a link in
 * any component (O_NOFOLLOW_ANY). This is best effort against an attacker who swaps directories during a
 * call, and it is reported as such.
 */
import * as fs from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileDraft } from '../content/draft.ts';
import { isTemporary, temporaryName } from '../content/draft-names.ts';
import { sweepLitter } from '../content/sweep-drafts.ts';
import { allows, exists, readSettings } from '../probe-path.ts';
import { nameBatches } from '../scan/listing.ts';
import { identityOf, toStat, typeOf } from '../stat.ts';
import type { Dir, Draft, Entered, Entry, OpenFile, Stat } from './dir.ts';
import { NotRegular } from './dir.ts';
import { oneName } from './one-name.ts';

const IS_WINDOWS = process.platform === 'win32';
/** macOS: fail with ELOOP when any component of the path is a symbolic link. */
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x20000000 : 0;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;

/** How often each operation checks that the path still leads to the same directory. */
const IDENTITY_CHECKS = 4;

/** The directory is no longer where it was: somebody moved or replaced it during the call. */
class Moved extends Error {
  readonly code = 'EAGAIN';
}

export class PathDir implements Dir {
  readonly identity: string;
  readonly fd = undefined;
  readonly #path: string;

  private constructor(path: string, identity: string) {
    this.#path = path;
    this.identity = identity;
  }

  static hold(realPath: string): PathDir {
    const stat = fs.lstatSync(realPath, { bigint: true });
    if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    return new PathDir(realPath, identityOf(stat));
  }

  get handlePath(): string {
    return this.#path;
  }

  ancestors(): string[] {
    const all = [this.identity];
    for (let path = dirname(this.#path); ; path = dirname(path)) {
      const above = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (above === undefined || identityOf(above) === all.at(-1)) return all;
      all.push(identityOf(above));
    }
  }

  hasAbove(levels: number, name: string): boolean {
    return exists(this.#above(levels, name));
  }

  readAbove(levels: number, ...names: [string, ...string[]]): string | undefined {
    const [first, ...rest] = names;
    return readSettings(join(this.#above(levels, first), ...rest.map(oneName)));
  }

  stat(): Stat {
    return toStat(fs.lstatSync(this.#verified(), { bigint: true }));
  }

  lstat(name: string | Buffer): Stat | undefined {
    const found = fs.lstatSync(this.#at(name), { bigint: true, throwIfNoEntry: false });
    return found && toStat(found);
  }

  readlink(name: string): string {
    return fs.readlinkSync(this.#at(name));
  }

  readlinkRaw(name: string | Buffer): Buffer {
    return fs.readlinkSync(this.#at(name), { encoding: 'buffer' });
  }

  spelled(name: string): string {
    if (!IS_WINDOWS && process.platform !== 'darwin') return name;
    // For a link, the system would return the name of its target.
    const type = this.lstat(name)?.type;
    if (type === undefined || type === 'symlink') return name;
    return basename(fs.realpathSync.native(this.#at(name)));
  }

  enter(name: string): Entered {
    const found = this.lstat(name);
    if (found === undefined) return 'missing';
    if (found.type === 'symlink') return { linkTarget: this.readlink(name) };
    if (found.type !== 'directory') return 'not-a-directory';
    return new PathDir(join(this.#path, name), identityOf(found));
  }

  entries(): Entry[] {
    const found = fs.readdirSync(this.#verified(), { withFileTypes: true });
    this.#verified();
    return found
      .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
      .filter(({ name, type }) => !isTemporary(name, type));
  }

  rawNames(): Buffer[] {
    const found = fs.readdirSync(this.#verified(), { encoding: 'buffer' });
    this.#verified();
    return found;
  }

  *rawNameBatches(): Iterable<string[]> {
    for (const names of nameBatches(this.#verified())) {
      this.#verified();
      yield names;
    }
  }

  open(name: string | Buffer): OpenFile {
    const path = this.#at(name);
    const before = toStat(fs.lstatSync(path, { bigint: true }));
    if (before.type !== 'file') throw new NotRegular(before.type);
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NOFOLLOW_ANY | O_NONBLOCK);
    try {
      const stat = toStat(fs.fstatSync(fd, { bigint: true }));
      if (stat.type !== 'file') throw new NotRegular(stat.type);
      if (identityOf(stat) !== identityOf(before)) throw new Moved(String(name));
      this.#verified();
      return { fd, stat, close: () => fs.closeSync(fd) };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  mayWrite(name: string): boolean {
    return allows(this.#at(name), fs.constants.W_OK);
  }

  mayChangeEntries(): boolean {
    return allows(this.#verified(), fs.constants.W_OK | fs.constants.X_OK);
  }

  draft(): Draft {
    sweepLitter(this);
    const name = temporaryName();
    const fd = fs.openSync(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOFOLLOW_ANY, 0o600);
    return new FileDraft(fd, name, (inHere) => this.#at(inHere));
  }

  mkdir(name: string | Buffer, mode = 0o777): void {
    fs.mkdirSync(this.#at(name), mode);
  }

  rename(name: string, to: Dir, toName: string): void {
    fs.renameSync(this.#at(name), join(to.handlePath, oneName(toName)));
  }

  link(name: string | Buffer, to: Dir, toName: string): void {
    fs.linkSync(this.#at(name), join(to.handlePath, oneName(toName)));
  }

  symlink(target: string | Buffer, name: string | Buffer): void {
    fs.symlinkSync(target, this.#at(name));
  }

  unlink(name: string | Buffer): void {
    fs.unlinkSync(this.#at(name));
  }

  async discard(names: readonly string[]): Promise<void> {
    await Promise.allSettled(names.map(async (name) => unlink(this.#at(name))));
  }

  rmdir(name: string | Buffer): void {
    fs.rmdirSync(this.#at(name));
  }

  enterRaw(name: Buffer): PathDir | undefined {
    const path = this.#at(name);
    const found = fs.lstatSync(path, { bigint: true });
    if (!found.isDirectory()) return undefined;
    return new PathDir(path.toString(), identityOf(found));
  }

  duplicate(): PathDir {
    return this;
  }

  async flush(): Promise<void> {
    if (IS_WINDOWS) return;
    try {
      const handle = await open(this.#verified(), O_RDONLY);
      await handle.sync().finally(() => handle.close());
    } catch {
      // The change has happened, even if the directory cannot be flushed or was moved since.
    }
  }

  close(): void {
    // Nothing is held but a path.
  }

  #verified(): string {
    // Somebody who swaps directories back and forth has to be lucky at every check.
    for (let check = 0; check < IDENTITY_CHECKS; check++) {
      const now = fs.lstatSync(this.#path, { bigint: true, throwIfNoEntry: false });
      if (!now || identityOf(now) !== this.identity) throw new Moved(this.#path);
    }
    // On Windows, not every file system has reliable identities; elsewhere they are enough.
    if (IS_WINDOWS && fs.realpathSync.native(this.#path) !== this.#path) throw new Moved(this.#path);
    return this.#path;
  }

  #above(levels: number, name: string): string {
    return resolve(this.#path, ...Array<string>(levels).fill('..'), oneName(name));
  }

  #at(name: string): string;
  #at(name: string | Buffer): string | Buffer;
  #at(name: string | Buffer): string | Buffer {
    if (typeof name !== 'string') return Buffer.concat([Buffer.from(`${this.#verified()}/`), name]);
    return join(this.#verified(), oneName(name));
  }
}
