/** Removes the temporary files that writers left in a directory when they were killed. */
import { Yielder } from '../../event-loop.ts';
import type { Dir } from '../directory/dir.ts';
import { isLitter, mayBeTemporary } from './draft-names.ts';

/** How many batches of names one sweep checks at once; the rest of a larger directory follows in later turns. */
const BATCHES_AT_ONCE = 2;

/** When each directory was last swept, so that a burst of writes to one sweeps it once. */
const sweptAt = new Map<string, number>();
const SWEPT_LIMIT = 4096;
const SWEEP_EVERY_MS = 1000;

export function sweepLitterIfDue(dir: Dir): void {
  const now = Date.now();
  if (now - (sweptAt.get(dir.identity) ?? 0) < SWEEP_EVERY_MS) return;
  if (sweptAt.size >= SWEPT_LIMIT) sweptAt.clear();
  sweptAt.set(dir.identity, now);
  sweepLitter(dir);
}

export function sweepLitter(dir: Dir): void {
  try {
    const batches = dir.rawNameBatches()[Symbol.iterator]();
    for (let i = 0; i < BATCHES_AT_ONCE; i++) {
      const { done, value } = batches.next();
      if (done) return;
      removeLitter(dir, value);
    }
    void sweepRest(dir.duplicate(), batches);
  } catch {
    // A directory may be writable but not readable: then the drafts in it stay.
  }
}

/** Sweeps the whole directory before it returns, in as many turns as that takes. */
export async function sweepAllLitter(dir: Dir): Promise<void> {
  const yielder = new Yielder(undefined);
  try {
    for (const names of dir.rawNameBatches()) {
      removeLitter(dir, names);
      await yielder.pause();
    }
  } catch {
    // As in `sweepLitter`: the drafts stay.
  }
}

async function sweepRest(dir: Dir, batches: Iterator<string[]>): Promise<void> {
  try {
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const { done, value } = batches.next();
      if (done) return;
      removeLitter(dir, value);
    }
  } catch {
    // The directory went away meanwhile, and the drafts with it.
  } finally {
    dir.close();
  }
}

/** Whether a name in a directory is the temporary file of a server that is gone. */
export function isLitterIn(dir: Dir, name: string): boolean {
  const stat = mayBeTemporary(name) ? dir.lstat(name) : undefined;
  return stat !== undefined && isLitter(name, stat);
}

function removeLitter(dir: Dir, names: readonly string[]): void {
  for (const name of names) {
    if (!isLitterIn(dir, name)) continue;
    try {
      dir.unlink(name);
    } catch {
      // Another process was quicker, or this user may not remove it.
    }
  }
}
