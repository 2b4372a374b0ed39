/** Copies contents from one store to another. Skips contents that the other one already has or that are missing. */
import { type Contents, DamagedContent } from '../../../state/contents.ts';

/** Contents below this size are stored in batches. */
const SMALL_BYTES = 1024 * 1024;
const BATCH_BYTES = 8 * SMALL_BYTES;
const BATCH_CONTENTS = 64;

export interface CopiedContents {
  contents: number;
  bytes: number;
  /** Contents that were in the other store already, as after an interrupted copy. */
  there: number;
  /** Contents that do not hash to their name. */
  damaged: number;
}

export async function copyContents(
  from: Contents,
  to: Contents,
  names: Iterable<string>,
  there: ReadonlySet<string>,
): Promise<CopiedContents> {
  const copied: CopiedContents = { contents: 0, bytes: 0, there: 0, damaged: 0 };
  let waiting: string[] = [];
  let waitingBytes = 0;
  const storeBatch = async () => {
    await to.stored(waiting.splice(0));
    waitingBytes = 0;
  };
  for (const name of names) {
    if (there.has(name)) {
      copied.there++;
      continue;
    }
    const chunks = await from.chunks(name);
    if (!chunks) continue;
    try {
      const { size, isPending } = await put(to, chunks);
      copied.contents++;
      copied.bytes += size;
      if (isPending) waiting = [...waiting, name];
      waitingBytes += isPending ? size : 0;
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error;
      copied.damaged++;
    }
    if (waiting.length >= BATCH_CONTENTS || waitingBytes >= BATCH_BYTES) await storeBatch();
  }
  await storeBatch();
  await to.settled();
  return copied;
}

/** `isPending`: the content is not stored yet; `to.stored` settles when it is. */
async function put(
  to: Contents,
  chunks: AsyncIterable<Buffer>,
): Promise<{ size: number; isPending: boolean }> {
  const pieces = chunks[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let size = 0;
  while (size < SMALL_BYTES) {
    const next = await pieces.next();
    if (next.done) {
      await to.put(Buffer.concat(first));
      return { size, isPending: true };
    }
    // The source of the pieces may reuse their memory.
    first.push(Buffer.from(next.value));
    size += next.value.length;
  }
  const all = await to.putChunks(joined(first, pieces));
  return { size: all.size, isPending: false };
}

async function* joined(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
