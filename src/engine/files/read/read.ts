/** Reads whole files, within the limit, as text or as bytes. */
import { isUtf8 } from 'node:buffer';
import { encodingOf } from '../../charset/encoding-of.ts';
import type { Charset } from '../../charset/names.ts';
import { readBytes } from '../../confine/content/read.ts';
import type { Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { Yielder } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import { whyBinary } from '../../text/encoding.ts';
import type { FileSnapshot } from '../atomic-replace.ts';
import { decodedInTurns } from '../encoding/convert-in-turns.ts';
import { mimeTypeOf } from './mime.ts';
import { textInTurns } from './utf8-in-turns.ts';
import { withFile } from './with-file.ts';

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
  /** Refuses larger files; the engine's own limit applies in any case. */
  limit?: number;
  signal?: AbortSignal | undefined;
}

export function readSnapshot(
  place: Place,
  options: ReadOptions & { action?: 'read' | 'edit' } = {},
): FileSnapshot | Promise<FileSnapshot> {
  const limit = Math.min(options.limit ?? Number.POSITIVE_INFINITY, limits.wholeFileBytes);
  const tooLarge = (size: number) =>
    fail({ kind: 'too-large', path: place.shown, size, limit, action: options.action ?? 'read' });
  return withFile(place, (file) => {
    const { stat } = file;
    if (stat.size > limit) tooLarge(stat.size);
    const whole = (bytes: Buffer) =>
      bytes.length > limit ? tooLarge(Math.max(stat.size, bytes.length)) : { stat, bytes };
    const reading = readBytes(file, limit + 1, options.signal);
    return reading instanceof Promise ? reading.then(whole) : whole(reading);
  });
}

export async function readContent(place: Place, options: ReadOptions): Promise<FileContent> {
  const { stat, bytes } = await readSnapshot(place, options);
  const isText = whyBinary(bytes) === undefined;
  const text = isText ? await textInTurns(bytes, new Yielder(options.signal)) : undefined;
  return { path: place.path, stat, bytes, text, mimeType: mimeTypeOf(place.name, text !== undefined) };
}

/** The text of a file in any encoding, without a byte-order mark; `declared` returns the one declared for the file. */
export async function readDecoded(
  place: Place,
  declared: () => Charset | undefined,
  options: ReadOptions,
): Promise<FileContent> {
  const { stat, bytes } = await readSnapshot(place, options);
  const judged = encodingOf(bytes, declared);
  const text =
    'notText' in judged ? undefined : await decodedInTurns(bytes, judged, new Yielder(options.signal));
  return { path: place.path, stat, bytes, text, mimeType: mimeTypeOf(place.name, text !== undefined) };
}

/** For tools that show nothing but text: any valid UTF-8 is text, byte-order mark and NUL characters included. */
export async function readText(place: Place, options: ReadOptions): Promise<{ text: string; bytes: number }> {
  const { bytes } = await readSnapshot(place, options);
  if (!isUtf8(bytes)) fail({ kind: 'not-text', path: place.shown, why: 'not-utf8' });
  const decoding = textInTurns(bytes, new Yielder(options.signal));
  const text = typeof decoding === 'string' ? decoding : await decoding;
  return { text, bytes: bytes.length };
}
