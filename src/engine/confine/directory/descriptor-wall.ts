/** Checks whether this system has what the wall on descriptors needs. */
import * as fs from 'node:fs';
import { identityOf } from '../stat.ts';
import { O_PATH } from './reopen.ts';

const PROCFS_MAGIC = 0x9fa0;

/** Whether /proc is procfs and descriptor-relative lookups work: without both, this wall would not be safe. */
export function descriptorWallWorks(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    if (fs.statfsSync('/proc').type !== PROCFS_MAGIC) return false;
    const fd = fs.openSync('/', O_PATH | fs.constants.O_DIRECTORY);
    try {
      const held = fs.fstatSync(fd, { bigint: true });
      const seen = fs.statSync(`/proc/self/fd/${fd}/.`, { bigint: true });
      return identityOf(held) === identityOf(seen);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false;
  }
}
