/** Reads the beginning of a file of any size, without the rest. */

import { characterEnd } from '../../charset/utf8.ts';
import { readBytes } from '../../confine/content/read.ts';
import type { Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import { whyBinary } from '../../text/encoding.ts';
import { JUDGED_BYTES } from '../encoding/file-encoding.ts';
import { withFile } from './with-file.ts';

export interface StartOptions {
  /** The most bytes to return; the engine's limit for whole files applies in any case. */
  most: number;
  /** Refuses files that are larger than this, however few bytes are requested. */
  limit?: number;
  signal?: AbortSignal | undefined;
}

export interface FileStart {
  stat: Stat;
  /** The size of the whole file. */
  size: number;
  bytes: Buffer;
  /** The bytes as text, with the byte-order mark and never ending within a character; undefined for binary content. */
  text: string | undefined;
  /** The file continues after the bytes. */
  truncated: boolean;
}

export async function readStart(place: Place, options: StartOptions): Promise<FileStart> {
  const { limit = Number.POSITIVE_INFINITY, signal } = options;
  const most = Math.min(options.most, limits.wholeFileBytes);
  return withFile(place, async (file) => {
    const { stat } = file;
    // Even if fewer bytes are requested, enough are read to tell whether the file is text. One more shows whether the
    // file continues, even if the system does not report its size, or the size changes.
    const read =
      stat.size > limit ? Buffer.alloc(0) : await readBytes(file, Math.max(most, JUDGED_BYTES) + 1, signal);
    const size = Math.max(stat.size, read.length);
    if (size > limit) fail({ kind: 'too-large', path: place.shown, size, limit, action: 'read' });
    const bytes = read.subarray(0, most);
    return { stat, size, bytes, text: textOf(read, most), truncated: size > bytes.length };
  });
}

function textOf(read: Buffer, most: number): string | undefined {
  if (whyBinary(wholeCharacters(read, Math.max(most, JUDGED_BYTES))) !== undefined) return undefined;
  return wholeCharacters(read, most).toString('utf8');
}

/** The first bytes, without a character that would be split. */
function wholeCharacters(read: Buffer, most: number): Buffer {
  if (read.length <= most) return read;
  const bytes = read.subarray(0, most);
  return bytes.subarray(0, characterEnd(bytes));
}
