/** The owner's token, stored in the state directory so that a restart does not lock out the clients that have it. */
// The state directory is outside the served directories, so the engine cannot reach it.
import * as fs from 'node:fs';
import { platform, userInfo } from 'node:os';
import { join } from 'node:path';
import { modeOf, StartError } from './secret-files.ts';
import { newToken, whyNotToken } from './tokens.ts';

export interface StoredToken {
  token: string;
  /** The file that stores the token; undefined if the token is only for this run. */
  file: string | undefined;
  /** Whether the server made the token at this start. */
  isNew: boolean;
  /** Why the token is not stored. */
  problem?: string;
}

const MAX_BYTES = 4096;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** Gives the stored token, or makes one and stores it. With `replace`, it always makes a new one. */
export function storedToken(directory: string, { replace }: { replace: boolean }): StoredToken {
  const file = join(directory, 'token');
  const stored = replace ? undefined : readStored(file);
  if (stored !== undefined) return { token: stored, file, isNew: false };
  const token = newToken();
  const fresh = join(directory, `token.${newToken().slice(0, 16)}`);
  try {
    writeFresh(fresh, token);
    if (replace) fs.renameSync(fresh, file);
    else if (!linkUnlessThere(fresh, file)) return { token: readStored(file)!, file, isNew: false };
    return { token, file, isNew: true };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return { token, file: undefined, isNew: true, problem: `${file} cannot be written (${code})` };
  } finally {
    fs.rmSync(fresh, { force: true });
  }
}

/** Reads the stored token. Refuses one that another user may have read or written. */
function readStored(file: string): string | undefined {
  let opened: number;
  try {
    // Do not block on a FIFO, and do not follow a link to another file.
    opened = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw refused(file, code === 'ELOOP' ? 'it is a link' : `it cannot be read (${code})`);
  }
  try {
    const stat = fs.fstatSync(opened);
    const problem = whyNotOurs(stat);
    if (problem !== undefined) throw refused(file, problem);
    const token = fs.readFileSync(opened, 'utf8').trim();
    const bad = whyNotToken(token);
    if (bad !== undefined) throw refused(file, `the token in it ${bad}`);
    return token;
  } finally {
    fs.closeSync(opened);
  }
}

function whyNotOurs(stat: fs.Stats): string | undefined {
  if (!stat.isFile()) return 'it is not a file';
  if (stat.size > MAX_BYTES) return 'it is too large for a token';
  if (platform() === 'win32') return undefined;
  if (stat.uid !== userInfo().uid) return 'it belongs to another user';
  if ((stat.mode & 0o077) === 0) return undefined;
  return `other users can reach it (mode ${modeOf(stat.mode)}), so they may know the token`;
}

function refused(file: string, problem: string): StartError {
  return new StartError(
    `the stored token ${file}: ${problem}. --new-token makes another; COFFERDAM_TOKEN or --token-file give one`,
  );
}

function writeFresh(file: string, token: string): void {
  const opened = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    // The umask may have removed permissions; it never adds any.
    fs.fchmodSync(opened, 0o600);
    fs.writeSync(opened, `${token}\n`);
    fs.fsyncSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

/** False if another server has stored its token first: then both use that one. */
function linkUnlessThere(fresh: string, file: string): boolean {
  try {
    fs.linkSync(fresh, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some file systems have no hard links.
    fs.renameSync(fresh, file);
    return true;
  }
}
