/** How the journal writes down paths within a tree, whose names need not be valid UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { TreeEntry } from './entry.ts';

export type TreePath = Omit<TreeEntry, 'removed'>;

export function treePath(raw: Buffer): TreePath {
  const path = raw.toString('utf8');
  return isUtf8(raw) ? { path } : { path, bytes: raw.toString('base64') };
}

/** The names along the path, the outermost first. */
export function namesOfPath({ path, bytes }: TreePath): (string | Buffer)[] {
  if (bytes === undefined) return path.split('/');
  const raw = Buffer.from(bytes, 'base64').toString('latin1');
  return raw.split('/').map((name) => Buffer.from(name, 'latin1'));
}

/** A key for maps: different paths have different keys, also when they are not valid UTF-8. */
export function keyOfPath({ path, bytes }: TreePath): string {
  return bytes ?? Buffer.from(path, 'utf8').toString('base64');
}
