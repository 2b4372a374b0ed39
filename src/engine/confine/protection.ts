/** Chooses the strongest wall that works on this system, and says how well it protects. */

import { descriptorWallWorks } from './directory/descriptor-wall.ts';
import type { Dir } from './directory/dir.ts';
import { LinuxDir } from './directory/linux-dir.ts';
import { PathDir } from './directory/path-dir.ts';

export interface Protection {
  kind: 'descriptors' | 'nofollow-any' | 'verified';
  raceFree: boolean;
  /** One plain sentence for the start-up line and `doctor`. */
  says: string;
}

/** Opens directories behind one kind of wall. */
export interface DirectoryOpener {
  protection: Protection;
  hold(realPath: string): Dir;
}

const DESCRIPTORS: Protection = {
  kind: 'descriptors',
  raceFree: true,
  says: 'race-free: every path is walked on held directory descriptors (openat through /proc/self/fd)',
};

const NOFOLLOW_ANY: Protection = {
  kind: 'nofollow-any',
  raceFree: false,
  says: 'opens refuse links in any component (O_NOFOLLOW_ANY); other operations are verified, best effort against races',
};

const VERIFIED: Protection = {
  kind: 'verified',
  raceFree: false,
  says: 'best effort: paths are resolved, then verified on the opened handle; a process that swaps directories during a call could win a race',
};

/** Takes the strongest wall that works here. `verified` asks for the fallback, so that it can be tested. */
export function chooseOpener(wanted: 'strongest' | 'verified' = 'strongest'): DirectoryOpener {
  if (wanted === 'strongest' && descriptorWallWorks()) {
    return { protection: DESCRIPTORS, hold: (path) => LinuxDir.hold(path) };
  }
  const protection = process.platform === 'darwin' ? NOFOLLOW_ANY : VERIFIED;
  return { protection, hold: (path) => PathDir.hold(path) };
}
