/** Tells which file systems can be trusted with times, looking up the file system of each device only once. */
import { statfsSync } from 'node:fs';

const EXT = 0xef53;
const XFS = 0x58465342;
const BTRFS = 0x9123683e;
const F2FS = 0xf2f52010;
const TMPFS = 0x01021994;
const OVERLAYFS = 0x794c7630;
const ZFS = 0x2fc12fc1;

/** Within a minute, these also change the times of a file after writes through mapped memory. */
const FILE_TIMES: ReadonlySet<number> = new Set([EXT, XFS, BTRFS, F2FS]);
/** On these, a directory's change time is known to move with every change of its entries. */
const DIRECTORY_TIMES: ReadonlySet<number> = new Set([...FILE_TIMES, TMPFS, OVERLAYFS, ZFS]);

const types = new Map<number, number>();

/** Whether the times of the open file, which is on the device `dev`, change whenever its bytes do. */
export function keepsFileTimes(fd: number, dev: number): boolean {
  return FILE_TIMES.has(typeOf(fd, dev));
}

/** Whether the change time of the open directory, which is on the device `dev`, moves whenever its entries change. */
export function keepsDirectoryTimes(fd: number, dev: number): boolean {
  return DIRECTORY_TIMES.has(typeOf(fd, dev));
}

function typeOf(fd: number, dev: number): number {
  let type = types.get(dev);
  if (type === undefined) {
    type = statfsSync(`/proc/self/fd/${fd}`).type;
    types.set(dev, type);
  }
  return type;
}
