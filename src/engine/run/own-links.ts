/**
 * Restores the links by which the program was started, when a sandboxed command has replaced one: a mount keeps files
 * and directories in their place, but no link.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { type OwnLink, ownPackage } from '../confine/protect/own-package.ts';
import { isWithin } from '../confine/roots.ts';
import type { Wall } from '../confine/wall.ts';
import type { RunResult } from './process/run.ts';
import { renameRefused, withNotes } from './rename-refused.ts';

const WHY = 'the running Cofferdam program is started by that name';

export function withOwnLinks(wall: Wall, result: RunResult): RunResult {
  const notes = ownPackage().links.flatMap((link) => {
    const isServed = wall.roots.some(({ real }) => isWithin(link.path, real));
    if (!isServed || isThere(link)) return [];
    const aside = renameRefused(
      wall,
      link.path,
      `${link.path} was replaced, and what was there renamed`,
      WHY,
    );
    return [...aside, ...restore(wall, link)];
  });
  return withNotes(result, notes);
}

function isThere({ path, target }: OwnLink): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && readlinkSync(path) === target;
  } catch {
    return false;
  }
}

function restore(wall: Wall, { path, target }: OwnLink): string[] {
  try {
    wall.at(path, { straight: true, follow: false, own: true }, ({ dir, name }) => dir.symlink(target, name));
    return [`cofferdam: the link ${path} was put back: ${WHY}`];
  } catch {
    // The directory is gone too: nothing starts from there.
    return [];
  }
}
