/** Truncates texts to a number of bytes in UTF-8, never in the middle of a character. */
import { fitsInBytes } from '../utf16.ts';

const ELLIPSIS_BYTES = Buffer.byteLength('…');

/** The start of a text, with an ellipsis for the rest; the ellipsis counts as well. */
export function truncateToBytes(text: string, most: number): string {
  if (fitsInBytes(text, most)) return text;
  return `${firstBytes(text, most - ELLIPSIS_BYTES)}…`;
}

/** Keeps the start and the end, which say most in a path or a message. */
export function truncateMiddle(text: string, most: number): string {
  if (fitsInBytes(text, most)) return text;
  const half = (most - ELLIPSIS_BYTES) >> 1;
  return `${firstBytes(text, half)}…${lastBytes(text, half)}`;
}

/** The start of a text, up to this many bytes. */
export function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text.slice(0, Math.max(0, most) + 1));
  let end = Math.min(Math.max(0, most), bytes.length);
  while (end > 0 && end < bytes.length && isInside(bytes[end]!)) end--;
  return bytes.toString('utf8', 0, end);
}

/** The end of a text, up to this many bytes. */
export function lastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text.slice(-Math.max(0, most) - 1));
  let start = Math.max(0, bytes.length - Math.max(0, most));
  while (start < bytes.length && isInside(bytes[start]!)) start++;
  return bytes.toString('utf8', start);
}

/** Whether a byte continues a character that began before it. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
