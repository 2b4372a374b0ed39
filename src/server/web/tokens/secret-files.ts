/** Reads the tokens, certificates and keys that the operator names on the command line. */
// These files are outside the served directories, so the engine cannot read them.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { platform, userInfo } from 'node:os';
import { shellWord } from '../../../display/shell-word.ts';
import { isInside } from '../../../is-inside.ts';
import { realOf } from '../../../real-path.ts';

const MAX_BYTES = 1024 * 1024;

/** The server cannot start; the message says why, in one line. */
export class StartError extends Error {}

/** Reads a token file or a private key. Refuses one that a client or another user could read or could have written. */
export function readSecret(path: string, served: readonly string[]): Buffer {
  requireOutside(path, served);
  return read(path, ({ mode, uid }) => {
    if (platform() === 'win32') return undefined;
    if ((mode & 0o077) !== 0)
      return `other users can reach it (mode ${modeOf(mode)}): chmod 600 ${shellWord(path)}`;
    return uid === userInfo().uid || uid === 0 ? undefined : 'it belongs to another user';
  });
}

export function readPlain(path: string): Buffer {
  return read(path, () => undefined);
}

function requireOutside(path: string, served: readonly string[]): void {
  const inside = served.find((directory) => isInside(realOf(path), realOf(directory)));
  if (inside !== undefined)
    throw new StartError(`${path}: it is inside ${inside}, where clients can read it: put it elsewhere`);
}

function read(path: string, whyNot: (stat: { mode: number; uid: number }) => string | undefined): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    // Check the open file, not its name: the name may mean another file a moment later.
    const stat = fstatSync(file);
    const problem = stat.isFile() ? whyNot(stat) : 'it is not a file';
    if (problem) throw new StartError(`${path}: ${problem}`);
    if (stat.size > MAX_BYTES) throw new StartError(`${path}: it is larger than 1 MiB`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${path}: ${whyNotRead((error as NodeJS.ErrnoException).code)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function whyNotRead(code: string | undefined): string {
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'EACCES' ? 'this user may not read it' : `it cannot be read (${code})`;
}

/** The mode as `chmod` writes it, such as 0600. */
export function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
