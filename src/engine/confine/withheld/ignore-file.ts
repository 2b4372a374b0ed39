/** The file in a given directory that names what is hidden there: no tool can make, change or remove it. */
import { fail } from '../../failures.ts';
import type { Root } from '../roots.ts';
import { rawOf } from '../scan/raw-names.ts';
import { folded } from './name-forms.ts';

export const IGNORE_FILE = '.cofferdamignore';

/** Whether a name of a given directory is that file in any letters: the next server may run where these are one. */
function isIgnoreFile(name: string): boolean {
  // Nearly all names end here.
  return name.length >= IGNORE_FILE.length && folded(rawOf(name)) === IGNORE_FILE;
}

export function requireNotIgnoreFile(at: {
  root: Pick<Root, 'real'>;
  name: string;
  path: string;
  shown: string;
}): void {
  if (!isIgnoreFile(at.name)) return;
  const parent = at.path.slice(0, at.path.lastIndexOf('/')) || '/';
  if (parent === at.root.real) fail({ kind: 'read-only', path: at.shown, why: 'ignore-file' });
}
