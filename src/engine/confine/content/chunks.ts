/** Reads and writes contents of any size in chunks, in bounded memory. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import type { OpenFile } from '../directory/dir.ts';
import { readChunk } from './read.ts';

const CHUNK_BYTES = 1024 * 1024;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

const write = promisify(fs.write);
const ftruncate = promisify(fs.ftruncate);

export async function* chunksOf(file: OpenFile): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const got = await readChunk(file.fd, chunk, 0, CHUNK_BYTES, at);
    if (got === 0) return;
    yield chunk.subarray(0, got);
    at += got;
  }
}

/** The SHA-256 of an open file of any size. */
export async function hashOfChunks(file: OpenFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Writes chunks to an open file. A chunk of nothing but zeros becomes a hole. */
export async function fillFile(fd: number, chunks: AsyncIterable<Buffer>): Promise<void> {
  let at = 0;
  for await (const chunk of chunks) {
    if (!isZero(chunk)) {
      for (let done = 0; done < chunk.length; ) {
        done += (await write(fd, chunk, done, chunk.length - done, at + done)).bytesWritten;
      }
    }
    at += chunk.length;
  }
  await ftruncate(fd, at);
}

function isZero(chunk: Buffer): boolean {
  return chunk.length <= CHUNK_BYTES && chunk.equals(ZEROS.subarray(0, chunk.length));
}
