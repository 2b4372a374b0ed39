/** Reads the part of a text file of any size that fits into a number of bytes. */

import { MOST_BYTES_A_UNIT } from '../../../utf16.ts';
import { decodeUnmarked, type Encoding } from '../../charset/codec.ts';
import { encodingOf } from '../../charset/encoding-of.ts';
import { type Charset, isUtf16 } from '../../charset/names.ts';
import { readBytes, readChunk } from '../../confine/content/read.ts';
import type { OpenFile, Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { Yielder } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import { countLines as countLinesOf, whyBinary } from '../../text/encoding.ts';
import { type LinesOfText, partOfText, withoutLineEnd } from '../../text/lines/text-part.ts';
import { decodedInTurns } from '../encoding/convert-in-turns.ts';
import { fileEncoding, requireText } from '../encoding/file-encoding.ts';
import { withFile } from '../read/with-file.ts';
import { countLines, readLineRange } from './large-file.ts';
import { endsInNewline, type Newline } from './line-scanner.ts';

/** A file up to this size is read whole: that takes a millisecond, and its hash can be computed, too. */
const SMALL_BYTES = 1024 * 1024;

export interface PartRequest {
  /** The first line, counted from 1. */
  from?: number | undefined;
  /** The character of that line to start with, counted from 1. */
  column?: number | undefined;
  /** The most lines to return. */
  lines?: number | undefined;
  /** Returns this many last lines instead. A newline at the end of the file counts as the start of an empty line. */
  last?: number | undefined;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** The text has no byte-order mark. */
export interface TextPart extends LinesOfText {
  stat: Stat;
  totalLines: number;
  /** The encoding in which the text was read. */
  charset: Charset;
  /** The whole file, if it was small enough to be read whole. */
  bytes: Buffer | undefined;
}

/** `declared` returns the encoding that is declared for the file. */
export function readPart(
  place: Place,
  request: PartRequest,
  declared: () => Charset | undefined,
): TextPart | Promise<TextPart> {
  return withFile(place, (file) => {
    const reading =
      file.stat.size > SMALL_BYTES ? undefined : readBytes(file, SMALL_BYTES + 1, request.signal);
    const part = (bytes: Buffer | undefined) =>
      bytes === undefined || bytes.length > SMALL_BYTES
        ? partOfLarge(file, request, declared, place.shown)
        : partOfSmall(file, bytes, { request, declared, shown: place.shown });
    return reading instanceof Promise ? reading.then(part) : part(reading);
  });
}

interface Asked {
  request: PartRequest;
  declared(): Charset | undefined;
  shown: string;
}

function partOfSmall({ stat }: OpenFile, bytes: Buffer, asked: Asked): TextPart | Promise<TextPart> {
  const { request, declared, shown } = asked;
  const encoding = requireText(encodingOf(bytes, declared), shown);
  const { charset } = encoding;
  const part = (text: string): TextPart => {
    const totalLines = countLinesOf(text);
    // Most files are short and requested whole: nothing is cut, so no line needs to be measured.
    if (isWhole(request) && text.length * MOST_BYTES_A_UNIT <= request.maxBytes)
      return { stat, bytes, charset, text, from: 1, to: totalLines, column: 1, totalLines };
    const span = spanOf(request, totalLines, text.endsWith('\n'));
    return { stat, bytes, charset, ...partOfText(text, 1, span), totalLines };
  };
  const decoding = decodedInTurns(bytes, encoding, new Yielder(request.signal));
  return typeof decoding === 'string' ? part(decoding) : decoding.then(part);
}

function isWhole({ from = 1, column = 1, lines, last }: PartRequest): boolean {
  return from === 1 && column === 1 && lines === undefined && last === undefined;
}

async function partOfLarge(
  file: OpenFile,
  request: PartRequest,
  declared: () => Charset | undefined,
  shown: string,
): Promise<TextPart> {
  const { signal, maxBytes } = request;
  const encoding = requireText(await fileEncoding(file, declared, signal), shown);
  const { charset } = encoding;
  const newline: Newline = isUtf16(charset) ? charset : 'byte';
  const totalLines = await countLines(file, { newline, signal });
  const span = spanOf(request, totalLines, await fileEndsInNewline(file, newline));
  const { from, column, lines } = span;
  // Only the whole line shows where a character in it is.
  const most = column > 1 ? limits.wholeFileBytes : rawBytesFor(maxBytes, charset);
  const got = await readLineRange(file, from, from + lines - 1, { maxBytes: most, newline, signal });
  const part = partOfText(textOf(got.bytes, encoding, from, shown), from, span);
  if (got.partialLine && part.continuesAt) {
    const line = await readLineRange(file, from, from, { maxBytes: limits.wholeFileBytes, newline, signal });
    part.firstLine = withoutLineEnd(textOf(line.bytes, encoding, from, shown));
    part.continuesAt.length = part.firstLine.length;
  }
  return { stat: file.stat, bytes: undefined, charset, ...part, totalLines };
}

/** Answers are measured in UTF-8, in which a text may take half as many bytes; the last character may be cut off. */
function rawBytesFor(maxBytes: number, charset: Charset): number {
  return charset === 'utf-8' ? maxBytes + 1 : 2 * maxBytes + 64;
}

function textOf(bytes: Buffer, { charset, mark }: Encoding, from: number, shown: string): string {
  if (charset === 'utf-8') {
    const why = whyBinary(bytes);
    if (why !== undefined) fail({ kind: 'not-text', path: shown, why });
  }
  const text = decodeUnmarked(bytes, charset);
  return from === 1 && mark ? text.slice(1) : text;
}

function spanOf(request: PartRequest, totalLines: number, endsInNewline: boolean) {
  const { from = 1, column = 1, lines = totalLines + 1, last, maxBytes } = request;
  if (last === undefined) return { from, column, lines, maxBytes };
  const counted = totalLines + (endsInNewline ? 1 : 0);
  return { from: Math.max(1, counted - last + 1), column: 1, lines: last, maxBytes };
}

async function fileEndsInNewline(file: OpenFile, newline: Newline): Promise<boolean> {
  const end = Buffer.alloc(newline === 'byte' ? 1 : 2);
  if (file.stat.size % end.length !== 0) return false;
  const got = await readChunk(file.fd, end, 0, end.length, Math.max(0, file.stat.size - end.length));
  return endsInNewline(end.subarray(0, got), newline);
}
