/** Finds a parked directory again: the same names, the same identity, no link on the way. */
import * as fs from 'node:fs';
import { identityOf } from '../stat.ts';
import type { WayBack } from './dir.ts';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;
/** Node has no such constant. The value is the same on every architecture that Node runs on. */
export const O_PATH = 0o10000000;

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Opens a new descriptor of the directory. The first walk checked every name, so this one need not. */
export function reopened({ from, names }: WayBack, identity: string): number {
  let held: number | undefined;
  try {
    for (const name of names) {
      const above = held === undefined ? from.handlePath : `/proc/self/fd/${held}`;
      const next = fs.openSync(`${above}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      if (held !== undefined) fs.closeSync(held);
      held = next;
    }
    if (held !== undefined && identityOf(fs.fstatSync(held, { bigint: true })) === identity) return held;
    throw movedAway();
  } catch (error) {
    if (held !== undefined) fs.closeSync(held);
    throw GONE.has((error as NodeJS.ErrnoException).code ?? '') ? movedAway() : error;
  }
}

function movedAway(): Error {
  return Object.assign(new Error('the directory is no longer where it was'), { code: 'EAGAIN' });
}
