/** Why a walk cannot read an entry. */
import { NotRegular } from '../directory/dir.ts';
import { isShortage } from '../errno.ts';

/** Why an entry could not be opened: no entry of that kind is there (any more), or this user may not read it. */
export type Absence = 'gone' | 'unreadable';

/**
 * What an error of opening or reading means for a walk. Rethrows an error that does not come from the system, and a
 * shortage of the system's resources: an entry that could not be read for that reason is neither gone nor forbidden.
 */
export function absenceOf(error: unknown): Absence {
  if (error instanceof NotRegular) return 'gone';
  if (isShortage(error)) throw error;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENXIO':
    case 'EISDIR':
    case 'ESPIPE':
    case 'ESTALE':
    case 'EAGAIN':
      return 'gone';
    case undefined:
      throw error;
    default:
      return 'unreadable';
  }
}
