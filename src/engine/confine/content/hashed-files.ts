/** Hashes the contents of all files in a tree. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { readRegularFile } from '../probe-path.ts';
import { encoded } from '../scan/raw-names.ts';

const READ_BYTES = 1024 * 1024;

export interface HashedFile {
  /** A path of raw names. */
  path: string;
  hash: string;
}

/**
 * All regular files at and below a path that are not empty. Names stay bytes (see raw-names.ts), and links are not
 * followed.
 */
export function* hashedFilesAt(path: string): Generator<HashedFile> {
  const stat = fs.lstatSync(encoded(path), { throwIfNoEntry: false });
  if (stat?.isFile() && stat.size > 0) {
    const hash = hashOfFile(path);
    if (hash !== undefined) yield { path, hash };
  }
  if (!stat?.isDirectory()) return;
  for (const name of namesIn(path)) yield* hashedFilesAt(`${path}/${name}`);
}

/** Undefined for a file that cannot be read. */
function hashOfFile(path: string): string | undefined {
  return readRegularFile(encoded(path), (fd) => {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    for (let got = fs.readSync(fd, chunk); got > 0; got = fs.readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, got));
    }
    return hash.digest('hex');
  });
}

function namesIn(path: string): string[] {
  try {
    return fs.readdirSync(encoded(path), { encoding: 'latin1' });
  } catch {
    return [];
  }
}
