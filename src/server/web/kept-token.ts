/** The owner's token, kept in the state directory so that a restart does not lock out the clients that have it. */
// biome-ignore lint/style/noRestrictedImports: the state directory lies outside the served directories.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { StartError } from './operator-files.ts';
import { newToken, whyNotToken } from './tokens.ts';

export interface KeptToken {
  token: string;
  /** The file that it is kept in; undefined when it ends with this server. */
  file: string | undefined;
  /** Made just now. */
  isNew: boolean;
  /** Why it is not kept. */
  problem?: string;
}

const MOST_BYTES = 4096;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** Gives the token that is kept, or makes one and keeps it; `replace` makes another in any case. */
export function keepToken(directory: string, { replace }: { replace: boolean }): KeptToken {
  const file = join(directory, 'token');
  const kept = replace ? undefined : readKept(file);
  if (kept !== undefined) return { token: kept, file, isNew: false };
  const token = newToken();
  const fresh = join(directory, `token.${process.pid}.${newToken().slice(0, 8)}`);
  try {
    writeFresh(fresh, token);
    if (replace) fs.renameSync(fresh, file);
    else if (!linkUnlessThere(fresh, file)) return { token: readKept(file)!, file, isNew: false };
    return { token, file, isNew: true };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return { token, file: undefined, isNew: true, problem: `${file} cannot be written (${code})` };
  } finally {
    fs.rmSync(fresh, { force: true });
  }
}

/** Refuses a token that another user may have read or written. */
function readKept(file: string): string | undefined {
  let opened: number;
  try {
    // A FIFO must not hold up the start, and a link may lead to a file that is not meant.
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
  if (stat.size > MOST_BYTES) return 'it is too large for a token';
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (stat.uid !== uid) return 'it belongs to another user';
  if ((stat.mode & 0o077) === 0) return undefined;
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
  return `other users can reach it (mode ${mode}), so they may know the token`;
}

function refused(file: string, problem: string): StartError {
  return new StartError(
    `the kept token ${file}: ${problem}. --new-token makes another; COFFERDAM_TOKEN or --token-file give one`,
  );
}

function writeFresh(file: string, token: string): void {
  const opened = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    // A umask may have taken rights away, never given any.
    fs.fchmodSync(opened, 0o600);
    fs.writeSync(opened, `${token}\n`);
    fs.fsyncSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

/** False when another server was first: then its token counts. */
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
