/** Pieces of a content in the form in which they are stored. */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

export const CHUNK_BYTES = 1024 * 1024;
/** Deflating smaller pieces saves nothing. */
const WORTH_BYTES = 512;

const deflating = promisify(deflateRaw);
const inflating = promisify(inflateRaw);

export interface Chunk {
  deflated: boolean;
  data: Buffer;
}

export async function chunkOf(bytes: Buffer): Promise<Chunk> {
  if (bytes.length < WORTH_BYTES) return { deflated: false, data: bytes };
  const data: Buffer = await deflating(bytes, { level: 1 });
  return data.length < bytes.length ? { deflated: true, data } : { deflated: false, data: bytes };
}

/** Undefined for a damaged chunk. */
export async function bytesOf({ deflated, data }: Chunk): Promise<Buffer | undefined> {
  if (!deflated) return data;
  try {
    return await inflating(data, { maxOutputLength: CHUNK_BYTES });
  } catch {
    return undefined;
  }
}

/** Regroups pieces into chunks: all of them full, except the last. */
export async function* inChunks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + CHUNK_BYTES - length);
      waiting.push(part);
      length += part.length;
      at += part.length;
      if (length < CHUNK_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      length = 0;
    }
    // The source of the pieces may reuse their memory.
    waiting = waiting.map((part) => Buffer.from(part));
  }
  if (length > 0) yield Buffer.concat(waiting);
}
