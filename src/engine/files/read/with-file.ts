/** Opens a file for reading, and closes it again whatever happens. */
import type { OpenFile } from '../../confine/directory/dir.ts';
import { failFrom } from '../../confine/errno.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';

/** Fails if there is no file at the place. */
export function withFile<T>(place: Place, use: (file: OpenFile) => T | Promise<T>): T | Promise<T> {
  const { shown } = place;
  if (place.isRoot) fail({ kind: 'not-a-file', path: shown, found: 'directory' });
  try {
    const file = openThere(place);
    let using: T | Promise<T> | undefined;
    try {
      using = use(file);
      return using instanceof Promise ? whenUsed(using, file, shown) : using;
    } finally {
      if (!(using instanceof Promise)) file.close();
    }
  } catch (error) {
    return failFrom(error, shown, 'read');
  }
}

async function whenUsed<T>(using: Promise<T>, file: OpenFile, shown: string): Promise<T> {
  try {
    return await using;
  } catch (error) {
    return failFrom(error, shown, 'read');
  } finally {
    file.close();
  }
}

/** Checks what is there only if opening fails: most requested files exist. */
function openThere(place: Place): OpenFile {
  try {
    return place.dir.open(place.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') place.mustExist('file');
    throw error;
  }
}
