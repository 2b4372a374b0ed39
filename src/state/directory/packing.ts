/** Contents on their way into the store and out of it: hashed, deflated, and never whole in memory when large. */
import { createHash, webcrypto } from 'node:crypto';
import * as fs from 'node:fs';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { createDeflateRaw, createInflateRaw, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';
import { readChunk } from '../../engine/confine/content/read.ts';
import type { OpenFile } from '../../engine/confine/dir.ts';

/** What smaller ones would save, a few blocks of the disk, is not worth the time. */
const DEFLATE_FROM = 16 * 1024;
/** Up to here it is quicker than a trip through the thread pool. */
const SYNC_BYTES = 128 * 1024;
const CHUNK_BYTES = 1024 * 1024;

const write = promisify(fs.write);
const ftruncate = promisify(fs.ftruncate);

/** Large contents are hashed beside the main thread. */
export async function hashOf(bytes: Buffer): Promise<string> {
  if (bytes.length <= SYNC_BYTES) return createHash('sha256').update(bytes).digest('hex');
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/** Undefined when it would save next to nothing. */
export async function pack(bytes: Buffer): Promise<Buffer | undefined> {
  if (bytes.length < DEFLATE_FROM) return undefined;
  const packed =
    bytes.length <= SYNC_BYTES
      ? deflateRawSync(bytes, { level: 1 })
      : await promisify(deflateRaw)(bytes, { level: 1 });
  return packed.length < bytes.length * 0.9 ? packed : undefined;
}

/** Undefined when it is damaged. */
export function unpack(packed: Buffer): Promise<Buffer | undefined> {
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

/** Writes what a file holds, deflated, to another open one. */
export async function deflateInto(fd: number, file: OpenFile): Promise<{ hash: string; size: number }> {
  const sum = createHash('sha256');
  let size = 0;
  const packing = createDeflateRaw({ level: 1 });
  const stored = (async () => {
    for await (const part of packing) await writeAll(fd, part as Buffer);
  })();
  stored.catch(() => {});
  for await (const chunk of chunksOf(file)) {
    size += chunk.length;
    sum.update(chunk);
    if (!packing.write(chunk)) await Promise.race([drained(packing), stored]);
  }
  packing.end();
  await stored;
  return { hash: sum.digest('hex'), size };
}

function drained(stream: Transform): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve));
}

/** Writes a stored content to an open file and gives its hash; undefined when it is damaged. */
export async function pourStored(path: string, fd: number): Promise<string | undefined> {
  const sum = createHash('sha256');
  const stored = fs.createReadStream(path, { highWaterMark: CHUNK_BYTES });
  let parts: AsyncIterable<Buffer> = stored;
  if (path.endsWith('.z')) {
    const inflating = createInflateRaw({ chunkSize: CHUNK_BYTES });
    stored.on('error', (error) => inflating.destroy(error));
    parts = stored.pipe(inflating);
  }
  try {
    await pourInto(fd, parts, (part) => sum.update(part));
    return sum.digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) return undefined;
    throw error;
  } finally {
    stored.destroy();
  }
}

/** The content of an open file, piece by piece. */
export async function* chunksOf(file: OpenFile): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const got = await readChunk(file.fd, chunk, 0, CHUNK_BYTES, at);
    if (got === 0) return;
    yield chunk.subarray(0, got);
    at += got;
  }
}

/** What is nothing but zeros becomes a hole again. */
export async function pourInto(
  fd: number,
  parts: AsyncIterable<Buffer>,
  onPart: (part: Buffer) => void = () => {},
): Promise<void> {
  let at = 0;
  for await (const part of parts) {
    onPart(part);
    if (!isZero(part)) {
      for (let done = 0; done < part.length; ) {
        done += (await write(fd, part, done, part.length - done, at + done)).bytesWritten;
      }
    }
    at += part.length;
  }
  await ftruncate(fd, at);
}

const ZEROS = Buffer.alloc(CHUNK_BYTES);

function isZero(part: Buffer): boolean {
  return part.length <= CHUNK_BYTES && part.equals(ZEROS.subarray(0, part.length));
}
