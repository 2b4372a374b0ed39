/** Converts what the system says about an entry to the engine's own types. */
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import type { EntryType } from '../failures.ts';
import type { Stat } from './directory/dir.ts';

interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export function typeOf(entry: Typed | Dirent): EntryType {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'special';
}

/** The type from the bits of a mode, which is quicker than one call for each type. */
export function typeOfMode(mode: number): EntryType {
  switch (mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file';
    case constants.S_IFDIR:
      return 'directory';
    default:
      return (mode & constants.S_IFMT) === constants.S_IFLNK ? 'symlink' : 'special';
  }
}

export function toStat(s: BigIntStats): Stat {
  return {
    type: typeOf(s),
    size: Number(s.size),
    mode: Number(s.mode) & 0o7777,
    uid: Number(s.uid),
    gid: Number(s.gid),
    links: Number(s.nlink),
    dev: s.dev,
    ino: s.ino,
    mtimeNs: s.mtimeNs,
    ctimeNs: s.ctimeNs,
    atimeMs: Number(s.atimeMs),
    birthtimeMs: Number(s.birthtimeMs),
  };
}

export function identityOf(s: { dev: bigint; ino: bigint }): string {
  return `${s.dev}:${s.ino}`;
}
