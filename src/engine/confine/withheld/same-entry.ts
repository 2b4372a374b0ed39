/** Whether two names in a held directory lead to the same entry, because the file system ignores how they differ. */
import type { Dir } from '../directory/dir.ts';
import { IGNORES_CASE } from './name-forms.ts';
import type { IsSameEntry } from './withheld.ts';

export function sameEntryIn(dir: Dir): IsSameEntry {
  return (name, other) => {
    const [one, two] = [name, other].map((raw) => dir.lstat(Buffer.from(raw, 'latin1')));
    if (one === undefined && two === undefined) return IGNORES_CASE;
    return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
  };
}
