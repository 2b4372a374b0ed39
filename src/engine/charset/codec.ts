/** Text from bytes and bytes from text, in every encoding. Text has no byte-order mark. */
import { TextDecoder, toUSVString } from 'node:util';
import { converter } from './converter.ts';
import { type Charset, isUtf16 } from './names.ts';
import { sequencesOf } from './sequences.ts';

/** How a file holds its text. */
export interface Encoding {
  charset: Charset;
  /** Whether it begins with a byte-order mark. */
  mark: boolean;
}

export const UTF8: Encoding = { charset: 'utf-8', mark: false };

const MARKS: Readonly<Record<string, Buffer>> = {
  'utf-8': Buffer.from([0xef, 0xbb, 0xbf]),
  'utf-16le': Buffer.from([0xff, 0xfe]),
  'utf-16be': Buffer.from([0xfe, 0xff]),
};

/** How a new file is written for which a charset is declared: Unicode says by a mark which kind it is. */
export function encodingOfNew(declared: Charset | undefined): Encoding {
  if (declared === undefined || declared === 'utf-8') return UTF8;
  if (declared === 'utf-8-bom') return { charset: 'utf-8', mark: true };
  return { charset: declared, mark: isUtf16(declared) };
}

/** Only encodings of Unicode have one. */
export function markOf({ charset, mark }: Encoding): Buffer {
  return (mark ? MARKS[charset] : undefined) ?? Buffer.alloc(0);
}

/** The encoding that the mark at the beginning of a file says; undefined without one. */
export function markedEncoding(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { charset: 'utf-8', mark: true };
  if (first === 0xff && second === 0xfe) return { charset: 'utf-16le', mark: true };
  if (first === 0xfe && second === 0xff) return { charset: 'utf-16be', mark: true };
  return undefined;
}

/** What an encoding has no character for comes as U+FFFD, and so does half of a surrogate pair. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  return decodeUnmarked(bytes.subarray(markOf(encoding).length), encoding.charset);
}

/** A part of a file that does not begin with a mark, or whose mark is a part of the text. */
export function decodeUnmarked(bytes: Buffer, charset: Charset): string {
  if (charset === 'utf-8') return bytes.toString('utf8');
  if (isUtf16(charset)) return utf16Text(bytes, charset);
  return toUSVString(converter().decode(bytes, charset, { stripBOM: false }));
}

/** A byte behind the last whole unit is shown too. */
function utf16Text(bytes: Buffer, charset: 'utf-16le' | 'utf-16be'): string {
  const whole = bytes.subarray(0, bytes.length & ~1);
  const text = (charset === 'utf-16le' ? whole : Buffer.from(whole).swap16()).toString('utf16le');
  return toUSVString(text) + (whole.length < bytes.length ? '\uFFFD' : '');
}

/** Turns bytes into text piece by piece. */
export interface StreamDecoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** The mark is no part of the text. */
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
      // Asked again, it has nothing left to say.
      held = Buffer.alloc(0);
      return decodeUnmarked(rest, charset);
    },
  };
}

/** A character that an encoding lacks, and where it is in the text. */
export interface Unencodable {
  character: string;
  at: number;
  /** The encoding has it, but a broken character is there that would take its bytes. */
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
  // Each character can be written, but not all of them in a row.
  return { character: text, at: 0 };
}
