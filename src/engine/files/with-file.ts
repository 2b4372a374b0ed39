/** Opens a file for reading, and closes it again whatever happens. */
import type { OpenFile } from '../confine/dir.ts';
import { attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';

/** Fails when there is no file at the place. */
export function withFile<T>(place: Place, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const { shown } = place;
  if (place.isRoot) fail({ kind: 'not-a-file', path: shown, found: 'directory' });
  return attemptAsync(shown, 'read', async () => {
    const file = openThere(place);
    try {
      return await use(file);
    } finally {
      file.close();
    }
  });
}

/** Looks what is there only when nothing is: most files that are asked for are there. */
export function openThere(place: Place): OpenFile {
  try {
    return place.dir.open(place.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') place.mustExist('file');
    throw error;
  }
}
