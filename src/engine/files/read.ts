/** Reads whole files, within the limit, as text or as bytes. */
import { isUtf8 } from 'node:buffer';
import { encodingOf } from '../charset/encoding-of.ts';
import type { Charset } from '../charset/names.ts';
import { readBytes } from '../confine/content/read.ts';
import type { Stat } from '../confine/dir.ts';
import { attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import { whyBinary } from '../text/encoding.ts';
import { decodedInTurns } from './encoding/in-turns.ts';
import { mimeTypeOf } from './mime.ts';
import type { Snapshot } from './replace.ts';
import { textInTurns } from './utf8-in-turns.ts';
import { openThere } from './with-file.ts';

export interface FileContent {
  /** Absolute, with links resolved. */
  path: string;
  stat: Stat;
  bytes: Buffer;
  /** The whole text, byte-order mark included; undefined for binary content. */
  text: string | undefined;
  mimeType: string;
}

export interface ReadOptions {
  /** Refuses larger files; the engine's own limit holds in any case. */
  limit?: number;
  signal?: AbortSignal | undefined;
}

export async function readSnapshot(
  place: Place,
  options: ReadOptions & { action?: 'read' | 'edit' } = {},
): Promise<Snapshot> {
  if (place.isRoot) fail({ kind: 'not-a-file', path: place.shown, found: 'directory' });
  const limit = Math.min(options.limit ?? Number.POSITIVE_INFINITY, limits.wholeFileBytes);
  return attemptAsync(place.shown, 'read', async () => {
    const file = openThere(place);
    try {
      const { stat } = file;
      const bytes = stat.size > limit ? undefined : await readBytes(file, limit + 1, options.signal);
      if (bytes === undefined || bytes.length > limit) {
        const size = Math.max(stat.size, bytes?.length ?? 0);
        return fail({ kind: 'too-large', path: place.shown, size, limit, action: options.action ?? 'read' });
      }
      return { stat, bytes };
    } finally {
      file.close();
    }
  });
}

export async function readContent(place: Place, options: ReadOptions = {}): Promise<FileContent> {
  const { stat, bytes } = await readSnapshot(place, options);
  const isText = whyBinary(bytes) === undefined;
  const yielder = new Yielder(options.signal);
  await yielder.pause();
  const text = isText ? await textInTurns(bytes, yielder) : undefined;
  return { path: place.path, stat, bytes, text, mimeType: mimeTypeOf(place.name, text !== undefined) };
}

/** The text of a file in any encoding, without a byte-order mark; `declared` says which one is declared for it. */
export async function readDecoded(
  place: Place,
  declared: () => Charset | undefined,
  options: ReadOptions = {},
): Promise<FileContent> {
  const { stat, bytes } = await readSnapshot(place, options);
  const judged = encodingOf(bytes, declared);
  const text =
    'notText' in judged ? undefined : await decodedInTurns(bytes, judged, new Yielder(options.signal));
  return { path: place.path, stat, bytes, text, mimeType: mimeTypeOf(place.name, text !== undefined) };
}

/** For tools that show nothing but text: any valid UTF-8 is text, byte-order mark and NUL characters included. */
export async function readText(
  place: Place,
  options: ReadOptions = {},
): Promise<{ text: string; bytes: number }> {
  const { bytes } = await readSnapshot(place, options);
  if (!isUtf8(bytes)) fail({ kind: 'not-text', path: place.shown, why: 'not-utf8' });
  const yielder = new Yielder(options.signal);
  await yielder.pause();
  return { text: await textInTurns(bytes, yielder), bytes: bytes.length };
}
