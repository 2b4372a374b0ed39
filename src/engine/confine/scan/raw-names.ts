/**
 * Names as their bytes: one character for each byte, so that every name on the disk can be opened, and
 * comparing two strings compares their bytes.
 */
import { isUtf8 } from 'node:buffer';

export function rawOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

export function textOf(raw: string): string {
  return isAscii(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8');
}

/** A raw path for display: names that are not UTF-8 show their bytes as `\xe9`. */
export function shownRaw(raw: string): { text: string; isText: boolean } {
  if (!/[\x80-\xff]/.test(raw)) return { text: raw, isText: true };
  const names = raw.split('/').map((name) => {
    const bytes = Buffer.from(name, 'latin1');
    return isUtf8(bytes)
      ? { text: bytes.toString('utf8'), isText: true }
      : { text: escaped(name), isText: false };
  });
  return { text: names.map(({ text }) => text).join('/'), isText: names.every(({ isText }) => isText) };
}

function escaped(name: string): string {
  return name.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** A raw path for the system: only one beyond ASCII needs a buffer. */
export function encoded(path: string): string | Buffer {
  return isAscii(path) ? path : Buffer.from(path, 'latin1');
}

/** The same for one raw name after an ASCII path. Throws if it is not a single name. */
export function encodedBelow(path: string, name: string): string | Buffer {
  let ascii = true;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code > 0x7f) ascii = false;
    else if (code === 0x2f || code === 0) refuse(name);
  }
  if (name === '' || name === '.' || name === '..') refuse(name);
  return ascii ? path + name : Buffer.from(path + name, 'latin1');
}

function refuse(name: string): never {
  throw new Error(`not one name: ${JSON.stringify(name)}`);
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
