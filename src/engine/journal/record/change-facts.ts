/** What a line of the journal says about a file that a call creates, changes, moves or removes. */
import { hashOf } from '../../../state/content-hash.ts';
import type { Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import type { EntryType } from '../../failures.ts';
import type { CreatedFacts } from '../../files/recorder.ts';
import type { Change, FileImage, LinkTarget, Removed } from '../entries/entry.ts';
import { targetOf } from '../entries/link-target.ts';
import { LARGE_BYTES, readOrUndefined } from './capture.ts';
import { stampOf } from './stamp.ts';

/** The content of a file that a call moves; undefined for a large one, which is moved unread. */
export async function contentMoved(at: Place, { type, size }: Stat): Promise<Buffer | undefined> {
  return type === 'file' && size < LARGE_BYTES ? readOrUndefined(at) : undefined;
}

/** What an undo needs to tell whether the moved file or link is still the same. `staysItself`: the inode stays. */
export async function factsOfMoved(
  { dir, name }: Place,
  source: Stat,
  bytes: Buffer | undefined,
  staysItself: boolean,
): Promise<{ file?: Omit<FileImage, 'kept'>; link?: LinkTarget }> {
  const { type, size, mode } = source;
  if (type === 'symlink') return { link: targetOf(dir, name) };
  if (type !== 'file') return {};
  if (bytes) return { file: await imageOf(bytes, mode) };
  // Within one file system the file only gets another name; on another one, its copy has only the same size.
  return { file: staysItself ? { size, mode, stamp: stampOf(source) } : { size, mode } };
}

export async function imageOf(bytes: Buffer, mode: number): Promise<Omit<FileImage, 'kept'>> {
  return { size: bytes.length, mode, hash: await hashOf(bytes) };
}

export function createdChange(place: Place, type: EntryType, facts: CreatedFacts): Change {
  const { image, link, whole, stamp } = facts;
  return {
    kind: 'created',
    path: place.path,
    type,
    ...(image && { after: image }),
    ...(link && { link }),
    ...(whole && { whole }),
    ...(stamp !== undefined && { stamp }),
  };
}

export function removedChange({ path }: Place, { type }: Stat, before: Removed): Change {
  return { kind: 'removed', path, type, before };
}
