/** Reads some lines of a text file of any size. */
import { isUtf8 } from 'node:buffer';
import { readChunk } from '../../confine/content/read.ts';
import type { OpenFile } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { inTurns, Yielder } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import type { LineRange } from '../../text/edit/line-range.ts';
import { BOM, splittingLines } from '../../text/encoding.ts';
import { withFile } from '../read/with-file.ts';
import { readLineRange, readTail } from './large-file.ts';

const UTF16_MARKS = ['fffe', 'feff'];

/** Returns the lines without their line ends. A `to` beyond the end of the file means its last line. */
export async function readTextLines(
  place: Place,
  { from, to }: LineRange,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  return readText(place, async (file) => {
    const { shown: path } = place;
    const limit = limits.wholeFileBytes;
    const got = await readLineRange(file, from, to, { maxBytes: limit, signal });
    if (got.truncated) fail({ kind: 'too-large', path, size: file.stat.size, limit, action: 'read' });
    if (got.to < from) fail({ kind: 'line-out-of-range', path, line: from, lines: got.totalLines ?? 0 });
    return { bytes: got.bytes, fromStart: from === 1 };
  });
}

/** Returns the last lines of a text file without their line ends; all of them if there are fewer. */
export async function readTextTail(
  place: Place,
  lines: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  return readText(place, async (file) => {
    const limit = limits.wholeFileBytes;
    const got = await readTail(file, lines, { maxBytes: limit, signal });
    if (got.truncated) {
      fail({ kind: 'too-large', path: place.shown, size: file.stat.size, limit, action: 'read' });
    }
    return { bytes: got.bytes, fromStart: got.bytes.length === file.stat.size };
  });
}

async function readText(
  place: Place,
  read: (file: OpenFile) => Promise<{ bytes: Buffer; fromStart: boolean }>,
): Promise<string[]> {
  return withFile(place, async (file) => {
    const isWide = await startsWithUtf16Mark(file);
    const { bytes, fromStart } = await read(file);
    if (isWide || !isUtf8(bytes)) fail({ kind: 'not-text', path: place.shown, why: 'not-utf8' });
    const yielder = new Yielder(undefined);
    await yielder.pause();
    const text = bytes.toString('utf8');
    return inTurns(splittingLines(fromStart && text.startsWith(BOM) ? text.slice(1) : text), yielder);
  });
}

/** Lines of a UTF-16 file could pass for UTF-8 with NUL characters in it. */
async function startsWithUtf16Mark(file: OpenFile): Promise<boolean> {
  const mark = Buffer.alloc(2);
  await readChunk(file.fd, mark, 0, mark.length, 0);
  return UTF16_MARKS.includes(mark.toString('hex'));
}
