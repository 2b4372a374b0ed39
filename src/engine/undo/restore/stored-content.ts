/** Gets the content of a file from the journal, as bytes or written into a draft. */

import { fillDraft, setAttributes } from '../../confine/content/write.ts';
import type { Draft } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';
import type { FileImage } from '../../journal/entries/entry.ts';
import { LARGE_BYTES, readOrUndefined } from '../../journal/record/capture.ts';
import type { Store } from '../../journal/store.ts';

export const ACTION = 'restore';

/** The content of an image that fits in memory; undefined when it is no longer kept or cannot be read. */
export async function contentOf(store: Store, { kept, hash }: FileImage): Promise<Buffer | undefined> {
  if (kept.in === 'store') return hash === undefined ? undefined : store.get(hash);
  if (kept.in === 'nowhere') return undefined;
  if (store.statAside(kept.name) === undefined) return undefined;
  return readOrUndefined(store.asideNamed(kept.name));
}

/** Fills a draft with the content of an image, however large it is. */
export async function fillFrom(store: Store, draft: Draft, image: FileImage, place: Place): Promise<void> {
  const { kept, hash, size, mode } = image;
  if (kept.in === 'aside') await store.writeAsideInto(kept.name, draft.fd);
  else if (size < LARGE_BYTES) await fillDraft(draft, (await contentOf(store, image)) ?? failLost(place));
  else if (hash === undefined || !(await store.writeInto(hash, draft.fd))) failLost(place);
  setAttributes(draft, { mode });
}

export function failLost(place: Place): never {
  fail({ kind: 'io', path: place.shown, action: ACTION, code: 'ENODATA' });
}
