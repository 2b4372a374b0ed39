/** Whole trees in the state directory, whatever their names and modes are: names need not be valid UTF-8. */
import * as fs from 'node:fs';

const OWNER_ALL = 0o700;

/** What a file or tree takes on the disk; links are not followed. */
export function sizeOnDisk(path: string | Buffer): number {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return below(path).reduce((sum, inner) => sum + sizeOnDisk(inner), 0);
}

/** Also a directory in which nothing may be changed. */
export function removeWhole(path: string | Buffer): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    fs.unlinkSync(path);
    return;
  }
  if ((stat.mode & OWNER_ALL) !== OWNER_ALL) fs.chmodSync(path, OWNER_ALL);
  for (const inner of below(path)) removeWhole(inner);
  fs.rmdirSync(path);
}

function below(path: string | Buffer): Buffer[] {
  try {
    const names = fs.readdirSync(path, { encoding: 'buffer' });
    return names.map((name) => Buffer.concat([Buffer.from(path as string), Buffer.from('/'), name]));
  } catch {
    return [];
  }
}
