/**
 * Computes the bytes of a changed text: unchanged parts keep their bytes, whatever they are, and only new text is
 * encoded.
 */
import type { Part } from '../text/edit/parts.ts';
import { type Boundary, byteOffsets } from './byte-offsets.ts';
import { encode, type Unencodable } from './codec.ts';
import type { Charset } from './names.ts';

/** A part of the old text, and the text that replaces it. */
interface Gap {
  start: number;
  end: number;
  text: string;
}

/** A gap that is widened to whole characters. */
interface ByteGap extends Gap {
  from: Boundary;
  to: Boundary;
}

/**
 * `text` is what `bytes` decode to, and `parts` is the new text. The position of an unencodable character is in the new
 * text.
 */
export function changedBytes(
  bytes: Buffer,
  text: string,
  parts: readonly Part[],
  charset: Charset,
): Buffer | Unencodable {
  const pieces: Buffer[] = [];
  let kept = 0;
  let grown = 0;
  for (const { start, end, text: put, from, to } of byteGaps(bytes, text, parts, charset)) {
    const encoded = encode(text.slice(from.at, start) + put + text.slice(end, to.at), charset);
    if (!Buffer.isBuffer(encoded)) return { ...encoded, at: from.at + grown + encoded.at };
    pieces.push(bytes.subarray(kept, from.byte), encoded);
    kept = to.byte;
    grown += put.length - (end - start);
  }
  return Buffer.concat([...pieces, bytes.subarray(kept)]);
}

/** Merges gaps that share a character. */
function* byteGaps(
  bytes: Buffer,
  text: string,
  parts: readonly Part[],
  charset: Charset,
): Generator<ByteGap> {
  const offsets = byteOffsets(bytes, text, charset);
  let open: ByteGap | undefined;
  for (const gap of gapsOf(text, parts)) {
    const from = offsets.before(gap.start);
    const to = offsets.after(gap.end);
    if (open && from.at < open.to.at) {
      const put = open.text + text.slice(open.end, gap.start) + gap.text;
      open = { ...open, end: gap.end, text: put, to };
      continue;
    }
    if (open) yield open;
    open = { ...gap, from, to };
  }
  if (open) yield open;
}

/** The gaps, without the characters that stay the same at the beginning and the end of each. */
function* gapsOf(text: string, parts: readonly Part[]): Generator<Gap> {
  let at = 0;
  let put = '';
  for (const part of [...parts, { from: text.length, to: text.length }]) {
    if ('text' in part) {
      put += part.text;
      continue;
    }
    if (put !== '' || part.from > at) {
      const gap = narrowed(text, { start: at, end: part.from, text: put });
      if (gap.end > gap.start || gap.text !== '') yield gap;
    }
    put = '';
    at = part.to;
  }
}

function narrowed(whole: string, { start, end, text }: Gap): Gap {
  const most = Math.min(end - start, text.length);
  let same = 0;
  while (same < most && whole.charCodeAt(start + same) === text.charCodeAt(same)) same++;
  let sameEnd = 0;
  while (
    sameEnd < most - same &&
    whole.charCodeAt(end - 1 - sameEnd) === text.charCodeAt(text.length - 1 - sameEnd)
  )
    sameEnd++;
  return { start: start + same, end: end - sameEnd, text: text.slice(same, text.length - sameEnd) };
}
