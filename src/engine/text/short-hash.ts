/** Short names for contents: the first characters of a SHA-256 hash, in Crockford's base-32 and lower case. */

/** Leaves out i, l, o and u, which are easily misread. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const CONTENT_CHARACTERS = 8;

/** The short hash of a content, from its SHA-256 in hexadecimal digits: 8 characters, 40 bits. */
export function shortHashOf(sha256: string): string {
  return base32(Buffer.from(sha256.slice(0, 2 * CONTENT_CHARACTERS), 'hex'), CONTENT_CHARACTERS);
}

/** The first characters of bytes in base-32, 5 bits each. */
export function base32(bytes: Uint8Array, characters: number): string {
  let text = '';
  for (let at = 0; at < characters; at++) {
    const bit = at * 5;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text += DIGITS[(pair >> (11 - (bit & 7))) & 31];
  }
  return text;
}
