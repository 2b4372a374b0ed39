/** Checks whether bytes that come piece by piece are UTF-8. */
import { isUtf8 } from 'node:buffer';

/** The length of the bytes without an incomplete UTF-8 character at the end. */
export function characterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Accepts UTF-8 without NUL: bytes with a NUL are not text. */
export class Utf8Check {
  #held: Uint8Array = new Uint8Array(0);

  /** False when the bytes so far cannot be the beginning of such a text. */
  takes(piece: Uint8Array): boolean {
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, piece]) : piece;
    const end = characterEnd(all);
    this.#held = Buffer.from(all.subarray(end));
    return !all.includes(0) && isUtf8(all.subarray(0, end));
  }

  /** Whether the text may end here. */
  get isWhole(): boolean {
    return this.#held.length === 0;
  }
}
