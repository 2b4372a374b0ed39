/** Makes a directory; one that is there already is no failure. */
import { attempt } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';
import { doing, type Recording } from './recorder.ts';

export async function makeDirectory(place: Place, recording: Recording): Promise<{ created: boolean }> {
  const found = place.lstat();
  if (found?.type === 'directory') return { created: false };
  if (found) fail({ kind: 'exists', path: place.shown, found: found.type });
  await recording.creates(place, 'directory');
  doing(recording, () => attempt(place.shown, 'create', () => place.dir.mkdir(place.name)));
  return { created: true };
}
