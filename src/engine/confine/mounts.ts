/** Finds mount points: such a directory cannot be removed, although everything in it can. */
import { readFileSync, readlinkSync } from 'node:fs';
import type { Dir } from './directory/dir.ts';
import { isWithin } from './roots.ts';

const MOUNTS = '/proc/self/mountinfo';
const PATH_FIELD = 4;

/** Whether the held directory is a mount point, or has one below it. Only Linux can tell; elsewhere false. */
export function holdsMount({ handlePath }: Dir): boolean {
  try {
    const path = asMountPoint(handlePath.startsWith('/proc/') ? readlinkSync(handlePath) : handlePath);
    const lines = readFileSync(MOUNTS, 'utf8').split('\n');
    return lines.some((line) => isWithin(line.split(' ')[PATH_FIELD] ?? '', path));
  } catch {
    return false;
  }
}

/** How the kernel writes the path of a mount in /proc/self/mountinfo. */
export function asMountPoint(path: string): string {
  return path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
