/** Changes that depend on a file's content: read it, compute the new content, and store that. */
import type { Place } from '../confine/place.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import type { RewriteOutcome } from '../text/rewrite.ts';
import { type FileSnapshot, replaceContent } from './atomic-replace.ts';
import { type Replacement, replaceTogether, requireDifferent } from './atomic-replace-many.ts';
import { readSnapshot } from './read/read.ts';
import type { ChangeRecorder } from './recorder.ts';

export interface StoreOptions {
  /** The most bytes that a file may have afterwards; the engine's own limit applies in any case. */
  limit?: number;
  signal?: AbortSignal | undefined;
  recorder: ChangeRecorder;
}

export async function rewriteFile<R>(
  place: Place,
  compute: (bytes: Buffer) => Promise<RewriteOutcome<R>>,
  options: StoreOptions,
): Promise<R> {
  const snapshot = await readSnapshot(place, { signal: options.signal, action: 'edit' });
  const { bytes, result } = await compute(snapshot.bytes);
  await replaceBytes(place, snapshot, bytes, options);
  return result;
}

/** Rewrites several files, all of them or none. */
export async function rewriteTogether<R>(
  places: readonly Place[],
  compute: (bytes: Buffer, index: number) => Promise<RewriteOutcome<R>>,
  options: StoreOptions,
): Promise<R[]> {
  requireDifferent(places);
  const results: R[] = [];
  const replacements: Replacement[] = [];
  const yielder = new Yielder(options.signal);
  for (const [index, place] of places.entries()) {
    await yielder.pause();
    const snapshot = await readSnapshot(place, { signal: options.signal, action: 'edit' });
    const { bytes, result } = await compute(snapshot.bytes, index);
    results.push(result);
    // The limit applies to a file that stays as it is, too.
    requireFits(place.shown, bytes ?? snapshot.bytes, limitOf(options));
    if (bytes && !bytes.equals(snapshot.bytes)) replacements.push({ place, bytes, expect: snapshot });
  }
  if (replacements.length > 0) await replaceTogether(replacements, options.signal, options.recorder);
  return results;
}

export async function replaceBytes(
  place: Place,
  snapshot: FileSnapshot,
  bytes: Buffer | undefined,
  options: StoreOptions,
): Promise<void> {
  requireFits(place.shown, bytes ?? snapshot.bytes, limitOf(options));
  if (bytes === undefined || bytes.equals(snapshot.bytes)) return;
  const { signal, recorder } = options;
  await replaceContent(place, bytes, { expect: snapshot, signal, recorder });
}

function limitOf({ limit = limits.wholeFileBytes }: StoreOptions): number {
  return Math.min(limit, limits.wholeFileBytes);
}

export function requireFits(path: string, bytes: Buffer, limit: number): void {
  if (bytes.length <= limit) return;
  fail({ kind: 'too-large', path, size: bytes.length, limit, action: 'write' });
}
