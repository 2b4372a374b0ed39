/** Changes that depend on what the files hold: read them, compute their new texts, and store all of those or none. */
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';
import type { Recording } from '../journal/recording.ts';
import { limits } from '../limits.ts';
import { encode, type TextContent } from '../text/encoding.ts';
import { replaceContent, type Snapshot } from './atomic.ts';
import { readSnapshot, textOf } from './contents.ts';
import { type Replacement, replaceTogether, requireDifferent } from './together.ts';

export interface StoreOptions {
  /** The most bytes that a file may have afterwards; the engine's own limit holds in any case. */
  limit?: number;
  signal?: AbortSignal | undefined;
  recording: Recording;
}

/** What a file's text becomes, and what there is to tell about it. */
export interface Rewritten<R> {
  after: string;
  result: R;
}

export async function rewriteTogether<R>(
  places: readonly Place[],
  compute: (text: string, index: number) => Promise<Rewritten<R>>,
  options: StoreOptions,
): Promise<R[]> {
  requireDifferent(places);
  const results: R[] = [];
  const replacements: Replacement[] = [];
  for (const [index, place] of places.entries()) {
    const snapshot = await readSnapshot(place, { signal: options.signal, action: 'edit' });
    const content = textOf(snapshot, place.shown);
    const { after, result } = await compute(content.text, index);
    results.push(result);
    const bytes = encodeWithin(place, { ...content, text: after }, options);
    if (!bytes.equals(snapshot.bytes)) replacements.push({ place, bytes, expect: snapshot });
  }
  if (replacements.length > 0) await replaceTogether(replacements, options.signal, options.recording);
  return results;
}

export async function replaceText(
  place: Place,
  snapshot: Snapshot,
  content: TextContent,
  options: StoreOptions,
): Promise<void> {
  const bytes = encodeWithin(place, content, options);
  if (bytes.equals(snapshot.bytes)) return;
  const { signal, recording } = options;
  await replaceContent(place, bytes, { expect: snapshot, signal, recording });
}

function encodeWithin(place: Place, content: TextContent, options: StoreOptions): Buffer {
  const bytes = encode(content);
  requireFits(place.shown, bytes, Math.min(options.limit ?? limits.wholeFileBytes, limits.wholeFileBytes));
  return bytes;
}

export function requireFits(path: string, bytes: Buffer, limit: number): void {
  if (bytes.length <= limit) return;
  fail({ kind: 'too-large', path, size: bytes.length, limit, action: 'write' });
}
