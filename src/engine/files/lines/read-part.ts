/** A part of a text file of any size that fits into a number of bytes, and where it stands in the file. */
import { readBytes, readChunk } from '../../confine/content/read.ts';
import type { OpenFile, Stat } from '../../confine/dir.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import { countLines as countLinesOf, textContent, whyBinary } from '../../text/encoding.ts';
import { type LinesOfText, partOfText } from '../../text/lines/text-part.ts';
import { withFile } from '../with-file.ts';
import { characterEnd, countLines, readLineRange } from './large-file.ts';

/** Up to this size a file is read whole: that takes a millisecond, and gives its hash too. */
const SMALL_BYTES = 1024 * 1024;
/** How much of a larger file is examined to tell whether it is text, besides the part itself. */
const JUDGED_BYTES = 8192;
const NEWLINE = 10;

export interface PartRequest {
  /** The first line, counted from 1. */
  from?: number | undefined;
  /** Where to start in that line: a character, counted from 1. */
  column?: number | undefined;
  /** How many lines at most. */
  lines?: number | undefined;
  /** The last so many lines instead. A newline at the end of the file counts as the start of one more, empty line. */
  last?: number | undefined;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** Without a byte-order mark. */
export interface TextPart extends LinesOfText {
  stat: Stat;
  totalLines: number;
  /** The whole file, where it was small enough to be read whole. */
  bytes: Buffer | undefined;
}

export function readPart(place: Place, request: PartRequest): Promise<TextPart> {
  const { shown } = place;
  return withFile(place, async (file) => {
    const bytes =
      file.stat.size > SMALL_BYTES ? undefined : await readBytes(file, SMALL_BYTES + 1, request.signal);
    if (bytes === undefined || bytes.length > SMALL_BYTES) return partOfLarge(file, request, shown);
    return { stat: file.stat, bytes, ...partOfSmall(bytes, request, shown) };
  });
}

function partOfSmall(
  bytes: Buffer,
  request: PartRequest,
  shown: string,
): LinesOfText & { totalLines: number } {
  requireText(bytes, shown);
  const { text } = textContent(bytes.toString('utf8'));
  const totalLines = countLinesOf(text);
  return { ...partOfText(text, 1, spanOf(request, totalLines, text.endsWith('\n'))), totalLines };
}

async function partOfLarge(file: OpenFile, request: PartRequest, shown: string): Promise<TextPart> {
  const { signal, maxBytes } = request;
  const start = await readBytes(file, JUDGED_BYTES, signal);
  requireText(start.subarray(0, characterEnd(start)), shown);
  const totalLines = await countLines(file, { signal });
  const span = spanOf(request, totalLines, await endsInNewline(file));
  const { from, column, lines } = span;
  // Only the whole line tells where a character in it stands.
  const most = column > 1 ? limits.wholeFileBytes : maxBytes + 1;
  const got = await readLineRange(file, from, from + lines - 1, { maxBytes: most, signal });
  requireText(got.bytes, shown);
  const read = got.bytes.toString('utf8');
  const part = partOfText(from === 1 ? textContent(read).text : read, from, span);
  if (got.partialLine && part.goesOnAt) part.goesOnAt.length = await lengthOfLine(file, from, signal);
  return { stat: file.stat, bytes: undefined, ...part, totalLines };
}

function spanOf(request: PartRequest, totalLines: number, endsInNewline: boolean) {
  const { from = 1, column = 1, lines = totalLines + 1, last, maxBytes } = request;
  if (last === undefined) return { from, column, lines, maxBytes };
  const counted = totalLines + (endsInNewline ? 1 : 0);
  return { from: Math.max(1, counted - last + 1), column: 1, lines: last, maxBytes };
}

async function endsInNewline(file: OpenFile): Promise<boolean> {
  const end = Buffer.alloc(1);
  await readChunk(file.fd, end, 0, 1, Math.max(0, file.stat.size - 1));
  return end[0] === NEWLINE;
}

async function lengthOfLine(file: OpenFile, line: number, signal: AbortSignal | undefined): Promise<number> {
  const { bytes } = await readLineRange(file, line, line, { maxBytes: limits.wholeFileBytes, signal });
  return bytes.toString('utf8').replace(/\r?\n$/, '').length;
}

function requireText(bytes: Buffer, shown: string): void {
  const why = whyBinary(bytes);
  if (why !== undefined) fail({ kind: 'not-text', path: shown, why });
}
