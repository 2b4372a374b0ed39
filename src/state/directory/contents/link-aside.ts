/** Sets an open file aside without copying a byte: as a clone that shares its blocks, or as a hard link. */
import * as fs from 'node:fs';
import type { Dir, OpenFile, Stat } from '../../../engine/confine/directory/dir.ts';

const { COPYFILE_FICLONE_FORCE, COPYFILE_EXCL } = fs.constants;

interface Named {
  dir: Dir;
  name: string;
}

/** False when the file system can do neither, or when somebody replaced or changed the file meanwhile. */
export function linkAside(
  file: OpenFile,
  at: { dir: Dir; name: string | Buffer },
  aside: Named,
  asidePath: string,
): boolean {
  if (cloned(file, asidePath)) return true;
  // A file with other hard links can be changed through them.
  if (file.stat.links !== 1) return false;
  try {
    at.dir.link(at.name, aside.dir, aside.name);
  } catch {
    return false;
  }
  const linked = aside.dir.lstat(aside.name);
  if (linked && isSame(linked, file.stat)) return true;
  aside.dir.unlink(aside.name);
  return false;
}

function cloned(file: OpenFile, to: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    fs.copyFileSync(`/proc/self/fd/${file.fd}`, to, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    if (fs.fstatSync(file.fd, { bigint: true }).mtimeNs === file.stat.mtimeNs) return true;
  } catch {
    // The file system cannot clone, or the paths are on two file systems.
  }
  fs.rmSync(to, { force: true });
  return false;
}

function isSame(a: Stat, b: Stat): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
