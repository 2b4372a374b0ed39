/** Reads the facts of all entries of a directory as quickly as possible: to compare them, not to act on them. */
import * as fs from 'node:fs';
import { typeOfMode } from '../stat.ts';
import type { RawStat } from './packed-entries.ts';
import { encodedBelow, isAscii } from './raw-names.ts';
import { retryShortage } from './retry-shortage.ts';

/** From this many entries on, it pays to look them up by the path of the directory. */
const FEW_NAMES = 8;
/** A lookup by a longer or deeper path takes as long as one by a descriptor. */
const SHORT_PATH = 2000;
const SHORT_LEVELS = 20;
const BIGINT_STAT = { bigint: true, throwIfNoEntry: false } as const;

/** `prefix` ends in a slash. */
export function statAll(
  prefix: string,
  names: readonly string[],
  take: (name: string, stat: RawStat) => void,
): void {
  for (const name of names) {
    const path = encodedBelow(prefix, name);
    const found = retryShortage(() => fs.lstatSync(path, BIGINT_STAT));
    if (!found) continue;
    const mode = Number(found.mode);
    const { size, dev, ino, mtimeNs, ctimeNs } = found;
    take(name, { type: typeOfMode(mode), mode: mode & 0o7777, size, dev, ino, mtimeNs, ctimeNs });
  }
}

/** The path of a held directory; empty for `/` and for a path that is not ASCII. */
export function pathOfDescriptor(descriptor: string): string {
  const path = fs.readlinkSync(descriptor, { encoding: 'latin1' });
  return path === '/' || !isAscii(path) ? '' : path;
}

/** The path of a directory below a held one, if it is quicker to read the facts of so many entries by path. */
export function quickPath(root: string, directory: string, entries: number): string | undefined {
  const path = directory === '' ? `${root}/` : `${root}/${directory}/`;
  if (root === '' || entries < FEW_NAMES || path.length > SHORT_PATH || !isAscii(path)) return undefined;
  return path.split('/').length > SHORT_LEVELS ? undefined : path;
}

/** Identifies a held directory, to check that a path leads to it. */
export type Identity = Pick<fs.BigIntStats, 'dev' | 'ino'>;

export function heldIdentity(directory: number): Identity {
  return fs.fstatSync(directory, { bigint: true });
}

/** Whether a path leads to a held directory now. */
export function leadsTo(path: string, held: Identity): boolean {
  try {
    const { dev, ino } = fs.statSync(path, BIGINT_STAT)!;
    return ino === held.ino && dev === held.dev;
  } catch {
    return false;
  }
}
