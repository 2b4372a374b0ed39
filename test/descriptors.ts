/**
 * The descriptors that a process holds below given directories. Those alone tell a leak: Node opens and closes
 * others (threads, timers, pipes) when it likes, so that a count of all of them wavers.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'vitest';
import { settled } from './until.ts';

export function heldBelow(directories: string | readonly string[], pid: number | 'self' = 'self'): string[] {
  const inside = [directories].flat();
  return readdirSync(`/proc/${pid}/fd`)
    .map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
    .filter((path) => inside.some((each) => path === each || path.startsWith(`${each}/`)))
    .sort();
}

/** Waits until no more is held than `before`: what is being closed in the background may take a moment. */
export async function expectNoMoreHeld(
  before: readonly string[],
  directories: string | readonly string[],
  pid?: number,
): Promise<void> {
  const held = await settled(
    () => heldBelow(directories, pid),
    ({ length }) => length <= before.length,
  );
  if (held.length > before.length) expect(held).toEqual(before);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since the listing.
    return '';
  }
}
