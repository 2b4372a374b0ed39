/** Decodes and encodes text in every encoding. The text has no byte-order mark. */
import { TextDecoder, toUSVString } from 'node:util';
import { converter } from './converter.ts';
import { type Charset, isUtf16 } from './names.ts';
import { sequencesOf } from './sequences.ts';

/** How the text of a file is encoded. */
export interface Encoding {
  charset: Charset;
  /** Whether the file begins with a byte-order mark. */
  mark: boolean;
}

export const UTF8: Encoding = { charset: 'utf-8', mark: false };

const MARKS: Readonly<Record<string, Buffer>> = {
  'utf-8': Buffer.from([0xef, 0xbb, 0xbf]),
  'utf-16le': Buffer.from([0xff, 0xfe]),
  'utf-16be': Buffer.from([0xfe, 0xff]),
};

/**
 * How to write a new file for which a charset is declared. A file in UTF-16 gets a mark, which says which kind it is.
 */
export function encodingOfNew(declared: Charset | undefined): Encoding {
  if (declared === undefined || declared === 'utf-8') return UTF8;
  if (declared === 'utf-8-bom') return { charset: 'utf-8', mark: true };
  return { charset: declared, mark: isUtf16(declared) };
}

/** The byte-order mark, which may be empty: only encodings of Unicode have one. */
export function markOf({ charset, mark }: Encoding): Buffer {
  return (mark ? MARKS[charset] : undefined) ?? Buffer.alloc(0);
}

/** The encoding that the mark at the beginning of a file shows; undefined without one. */
export function markedEncoding(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { charset: 'utf-8', mark: true };
  if (first === 0xff && second === 0xfe) return { charset: 'utf-16le', mark: true };
  if (first === 0xfe && second === 0xff) return { charset: 'utf-16be', mark: true };
  return undefined;
}

/** Bytes that are no character of the encoding become U+FFFD, and so does half of a surrogate pair. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  return decodeUnmarked(bytes.subarray(markOf(encoding).length), encoding.charset);
}

/** Decodes a part of a file that does not begin with a mark, or whose mark belongs to the text. */
export function decodeUnmarked(bytes: Buffer, charset: Charset): string {
  if (charset === 'utf-8') return bytes.toString('utf8');
  if (isUtf16(charset)) return utf16Text(bytes, charset);
  return toUSVString(converter().decode(bytes, charset, { stripBOM: false }));
}

/** A single byte after the last whole unit is shown as U+FFFD. */
function utf16Text(bytes: Buffer, charset: 'utf-16le' | 'utf-16be'): string {
  const whole = bytes.subarray(0, bytes.length & ~1);
  const text = (charset === 'utf-16le' ? whole : Buffer.from(whole).swap16()).toString('utf16le');
  return toUSVString(text) + (whole.length < bytes.length ? '\uFFFD' : '');
}

/** Decodes bytes piece by piece. */
export interface StreamDecoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** Leaves a byte-order mark out of the text. */
export function streamDecoder(charset: Charset): StreamDecoder {
  if (charset === 'utf-8' || isUtf16(charset)) {
    const decoder = new TextDecoder(charset);
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const sequences = sequencesOf(charset);
  let held: Buffer = Buffer.alloc(0);
  return {
    write(bytes) {
      const all = held.length > 0 ? Buffer.concat([held, bytes]) : bytes;
      const end = sequences?.end(all) ?? all.length;
      held = Buffer.from(all.subarray(end));
      return decodeUnmarked(all.subarray(0, end), charset);
    },
    end() {
      const rest = held;
      // A second call must return nothing.
      held = Buffer.alloc(0);
      return decodeUnmarked(rest, charset);
    },
  };
}

/** A character that an encoding lacks, and its position in the text. */
export interface Unencodable {
  character: string;
  at: number;
  /** The encoding has the character, but a broken character is there that would take its bytes. */
  isBroken?: true;
}

/** The bytes of a text, without a mark. */
export function encode(text: string, charset: Charset): Buffer | Unencodable {
  if (charset === 'utf-8') return Buffer.from(text, 'utf8');
  if (isUtf16(charset)) {
    const bytes = Buffer.from(text, 'utf16le');
    return charset === 'utf-16le' ? bytes : bytes.swap16();
  }
  const bytes = converter().encode(text, charset);
  return decodeUnmarked(bytes, charset) === text ? bytes : unencodableIn(text, charset);
}

function unencodableIn(text: string, charset: Charset): Unencodable {
  let at = 0;
  for (const character of text) {
    if (decodeUnmarked(converter().encode(character, charset), charset) !== character)
      return { character, at };
    at += character.length;
  }
  // Each character can be encoded by itself, but not all of them in a row.
  return { character: text, at: 0 };
}
