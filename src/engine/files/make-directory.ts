/** Creates a directory; it is not a failure if it already exists. */
import { attempt } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';
import { type ChangeRecorder, changeDisk } from './recorder.ts';

export async function makeDirectory(place: Place, recorder: ChangeRecorder): Promise<{ created: boolean }> {
  const found = place.lstat();
  if (found?.type === 'directory') return { created: false };
  if (found) fail({ kind: 'exists', path: place.shown, found: found.type });
  await recorder.creates(place, 'directory');
  changeDisk(recorder, () => attempt(place.shown, 'create', () => place.dir.mkdir(place.name)));
  return { created: true };
}
