/**
 * Lists the descriptors that a process holds below given directories. Only those show a leak: Node opens and closes
 * others (threads, timers, pipes) at any time, so a count of all descriptors varies.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'vitest';
import { settled } from './until.ts';

export function heldBelow(directories: string | readonly string[]): string[] {
  const inside = [directories].flat();
  return readdirSync('/proc/self/fd')
    .map((fd) => linkOf(`/proc/self/fd/${fd}`))
    .filter((path) => inside.some((each) => path === each || path.startsWith(`${each}/`)))
    .sort();
}

/** Waits until no more is held than `before`, because closing in the background may take a moment. */
export async function expectNoMoreHeld(
  before: readonly string[],
  directories: string | readonly string[],
): Promise<void> {
  const held = await settled(
    () => heldBelow(directories),
    ({ length }) => length <= before.length,
  );
  if (held.length > before.length) expect(held).toEqual(before);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed after the listing.
    return '';
  }
}
