/** How the journal writes down the target of a link, which need not be valid UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { Dir } from '../../confine/directory/dir.ts';
import type { LinkTarget } from './entry.ts';

export function targetOf(dir: Dir, name: string | Buffer): LinkTarget {
  return linkTo(dir.readlinkRaw(name));
}

export function linkTo(bytes: Buffer): LinkTarget {
  const target = bytes.toString('utf8');
  return isUtf8(bytes) ? { target } : { target, bytes: bytes.toString('base64') };
}

/** Only the target, taken from a record that has other fields too. */
export function linkOf({ target, bytes }: LinkTarget): LinkTarget {
  return bytes === undefined ? { target } : { target, bytes };
}

export function leadsTo(dir: Dir, name: string | Buffer, expected: LinkTarget): boolean {
  return dir.readlinkRaw(name).equals(bytesOf(expected));
}

export function bytesOf({ target, bytes }: LinkTarget): Buffer {
  return bytes === undefined ? Buffer.from(target, 'utf8') : Buffer.from(bytes, 'base64');
}
