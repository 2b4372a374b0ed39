/** Reads stored events from the newest back: no more of the files than is needed, a block at a time. */
import { closeSync, fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';
import type { TraceDirectory } from './directory.ts';
import { codeOf } from './directory.ts';
import type { TraceEvent } from './event.ts';
import { eventOf, LONGEST_LINE } from './line.ts';

const readAt = promisify(read);
const BLOCK = 128 * 1024;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

/** The newest `limit` events that fit, oldest first, as they came in. */
export async function readRecent(
  directory: TraceDirectory,
  limit: number,
  filter: (event: TraceEvent) => boolean = () => true,
): Promise<TraceEvent[]> {
  const found: TraceEvent[] = [];
  for (const { name } of directory.files().reverse()) {
    if (found.length >= limit) break;
    await readBack(directory, name, (line) => {
      const event = eventOf(line);
      if (event && filter(event)) found.push(event);
      return found.length < limit;
    });
  }
  // Written when they ended, shown by when they began.
  return found.reverse().sort((a, b) => a.at - b.at);
}

/** Lines from the last to the first, until `onLine` wants no more. */
async function readBack(
  directory: TraceDirectory,
  name: string,
  onLine: (line: string) => boolean,
): Promise<void> {
  let fd: number;
  try {
    fd = directory.open(name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    for await (const lines of blocksBack(fd)) {
      if (!lines.every(onLine)) return;
    }
  } finally {
    closeSync(fd);
  }
}

/** Whole lines, the last first, a block's worth at a time. */
async function* blocksBack(fd: number): AsyncGenerator<string[]> {
  let end = fstatSync(fd).size;
  /** The end of a line that begins in an earlier block. */
  let rest = NOTHING;
  while (end > 0) {
    const length = Math.min(BLOCK, end);
    const block = Buffer.allocUnsafe(length);
    const { bytesRead } = await readAt(fd, block, 0, length, end - length);
    // Somebody made the file shorter meanwhile: what stood behind is gone.
    const joined = bytesRead < length ? block.subarray(0, bytesRead) : Buffer.concat([block, rest]);
    end -= length;
    const whole = end === 0 ? 0 : joined.indexOf(NEWLINE) + 1;
    if (end > 0 && whole === 0) {
      rest = joined.length > LONGEST_LINE ? NOTHING : joined;
      continue;
    }
    rest = joined.subarray(0, Math.max(whole - 1, 0));
    yield joined.toString('utf8', whole).split('\n').reverse();
  }
}
