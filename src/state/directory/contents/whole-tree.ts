/** Measures and removes whole trees, whatever their names and modes are: names need not be valid UTF-8. */
import * as fs from 'node:fs';

const OWNER_ALL = 0o700;

/** The bytes of a file or tree; does not follow links. */
export function sizeOnDisk(path: string | Buffer): number {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return childrenOf(path).reduce((sum, inner) => sum + sizeOnDisk(inner), 0);
}

/** Removes a file or tree, including read-only directories. */
export function removeTree(path: string | Buffer): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    fs.unlinkSync(path);
    return;
  }
  if ((stat.mode & OWNER_ALL) !== OWNER_ALL) fs.chmodSync(path, OWNER_ALL);
  for (const inner of childrenOf(path)) removeTree(inner);
  fs.rmdirSync(path);
}

function childrenOf(path: string | Buffer): Buffer[] {
  try {
    const names = fs.readdirSync(path, { encoding: 'buffer' });
    return names.map((name) => Buffer.concat([Buffer.from(path as string), Buffer.from('/'), name]));
  } catch {
    return [];
  }
}
