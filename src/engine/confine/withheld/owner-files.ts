/** The owner's own files in a served directory: no tool can make, change or remove them. */
import { dirname } from 'node:path';
import { fail, type ReadOnlyReason } from '../../failures.ts';
import type { Root } from '../roots.ts';
import { rawOf } from '../scan/raw-names.ts';
import { folded } from './name-forms.ts';

/** Names what is hidden in its directory. */
export const IGNORE_FILE = '.cofferdamignore';
/** Tells the servers of a fleet which directory it is in. */
export const WORKSPACE_FILE = '.cofferdam-workspace';

/** Which of these files a name means, in any letter case: the next server may run where case is ignored. */
function ownerFile(name: string): ReadOnlyReason | undefined {
  // A quick exit for nearly all names.
  if (name.length < IGNORE_FILE.length) return undefined;
  const plain = folded(rawOf(name));
  if (plain === IGNORE_FILE) return 'ignore-file';
  return plain === WORKSPACE_FILE ? 'workspace-file' : undefined;
}

export function requireNotOwnerFile(at: {
  root: Pick<Root, 'real'>;
  name: string;
  path: string;
  shown: string;
}): void {
  const why = ownerFile(at.name);
  if (why === undefined) return;
  if (dirname(at.path) === at.root.real) fail({ kind: 'read-only', path: at.shown, why });
}
