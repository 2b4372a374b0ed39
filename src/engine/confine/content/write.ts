/** Prepares a draft before it gets its name: writes its bytes, sets owner and mode, and flushes it. */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { failIfCancelled } from '../../failures.ts';
import type { Draft, Stat } from '../directory/dir.ts';
import { CHUNK_BYTES, SYNC_BYTES } from './read.ts';

const write = promisify(fs.write);
const fsync = promisify(fs.fsync);

export async function fillDraft(draft: Draft, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    failIfCancelled(signal);
    const length = Math.min(CHUNK_BYTES, bytes.length - written);
    written +=
      length <= SYNC_BYTES
        ? fs.writeSync(draft.fd, bytes, written, length)
        : (await write(draft.fd, bytes, written, length)).bytesWritten;
  }
}

/** Mode and owner of a file. Without an owner, the draft keeps the one it has. */
export type FileAttributes = Pick<Stat, 'mode'> & Partial<Pick<Stat, 'uid' | 'gid'>>;

/** Gives the draft the mode and owner of the file that it will replace, or those of a new file. */
export function setAttributes(draft: Draft, like: FileAttributes | undefined): void {
  if (like === undefined) {
    fs.fchmodSync(draft.fd, 0o666 & ~process.umask());
    return;
  }
  const mine = fs.fstatSync(draft.fd);
  const { uid = mine.uid, gid = mine.gid } = like;
  if (mine.uid !== uid || mine.gid !== gid) fs.fchownSync(draft.fd, uid, gid);
  fs.fchmodSync(draft.fd, like.mode);
}

export function flushDraft(draft: Draft): Promise<void> {
  return fsync(draft.fd);
}
