/** The path of something within a tree, as the journal writes it down: a name need not be valid UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { TreeEntry } from './entry.ts';

export type TreePath = Omit<TreeEntry, 'removed'>;

export function treePath(raw: Buffer): TreePath {
  const path = raw.toString('utf8');
  return isUtf8(raw) ? { path } : { path, bytes: raw.toString('base64') };
}

/** Its names, the outermost first. */
export function namesOfPath({ path, bytes }: TreePath): (string | Buffer)[] {
  if (bytes === undefined) return path.split('/');
  const raw = Buffer.from(bytes, 'base64').toString('latin1');
  return raw.split('/').map((name) => Buffer.from(name, 'latin1'));
}

/** One text for one path, whatever its bytes are. */
export function keyOfPath({ path, bytes }: TreePath): string {
  return bytes ?? Buffer.from(path, 'utf8').toString('base64');
}
