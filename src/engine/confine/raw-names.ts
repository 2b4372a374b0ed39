/**
 * Names as their bytes: one character for each byte, so that every name on the disk can be opened, and
 * comparing two strings compares their bytes.
 */

export function rawOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

export function textOf(raw: string): string {
  return isAscii(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8');
}

/** A raw path for the system: only one beyond ASCII needs a buffer. */
export function encoded(path: string): string | Buffer {
  return isAscii(path) ? path : Buffer.from(path, 'latin1');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
