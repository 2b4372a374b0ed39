/** Writes contents to files of the store and reads them back, deflated where that saves enough. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { createDeflateRaw, createInflateRaw, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';
import { drained } from '../../../drained.ts';
import { DamagedContent } from '../../contents.ts';

/** Deflating smaller contents would save a few disk blocks, which is not worth the time. */
const DEFLATE_FROM = 16 * 1024;
/** Up to this size, working here is quicker than a trip through the thread pool. */
const SYNC_BYTES = 128 * 1024;
const CHUNK_BYTES = 1024 * 1024;

const write = promisify(fs.write);

/** Undefined when deflating would save next to nothing. */
export async function deflated(bytes: Buffer): Promise<Buffer | undefined> {
  if (bytes.length < DEFLATE_FROM) return undefined;
  const packed =
    bytes.length <= SYNC_BYTES
      ? deflateRawSync(bytes, { level: 1 })
      : await promisify(deflateRaw)(bytes, { level: 1 });
  return packed.length < bytes.length * 0.9 ? packed : undefined;
}

/** Undefined when the bytes are damaged. */
export function inflated(packed: Buffer): Promise<Buffer | undefined> {
  return promisify(inflateRaw)(packed).catch(() => undefined);
}

export async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written +=
      bytes.length <= SYNC_BYTES
        ? fs.writeSync(fd, bytes, written)
        : (await write(fd, bytes, written)).bytesWritten;
  }
}

/** Writes the deflated content to an open file; returns the hash and size of the original. */
export async function deflateInto(
  fd: number,
  chunks: AsyncIterable<Buffer>,
): Promise<{ hash: string; size: number }> {
  const sum = createHash('sha256');
  let size = 0;
  const packing = createDeflateRaw({ level: 1 });
  const written = (async () => {
    for await (const part of packing) await writeAll(fd, part as Buffer);
  })();
  written.catch(() => {});
  for await (const chunk of chunks) {
    size += chunk.length;
    sum.update(chunk);
    if (!packing.write(chunk)) await Promise.race([drained(packing), written]);
  }
  packing.end();
  await written;
  return { hash: sum.digest('hex'), size };
}

/** A stored content in pieces; throws at the end when the bytes do not match the hash. */
export async function* storedChunks(path: string, hash: string): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  const stored = fs.createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const part of path.endsWith('.z') ? inflating(stored) : stored) {
      sum.update(part as Buffer);
      yield part as Buffer;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw new DamagedContent(hash);
    throw error;
  } finally {
    stored.destroy();
  }
  if (sum.digest('hex') !== hash) throw new DamagedContent(hash);
}

function inflating(stored: fs.ReadStream): Transform {
  const stream = createInflateRaw({ chunkSize: CHUNK_BYTES });
  stored.on('error', (error) => stream.destroy(error));
  return stored.pipe(stream);
}
