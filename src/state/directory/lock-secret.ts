/**
 * A secret of this user that goes into the names of locks. Without it, another user could guess a name and take it, and
 * every change would wait. All servers of the user share the secret, whichever state directory each one has.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { platform, userInfo } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from './make-directory.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
const SECRET = /^[0-9a-f]{64}$/;

let known: string | undefined;

/** Empty when the home directory cannot be written to: then other users can guess the names of locks. */
export function lockSecret(): string {
  known ??= readOrMake() ?? '';
  return known;
}

function readOrMake(): string | undefined {
  try {
    // Ask the system: the environment variable may differ from server to server.
    const { homedir } = userInfo();
    if (!fs.statSync(homedir).isDirectory()) return undefined;
    const directory = join(homedir, '.local', 'state', 'cofferdam');
    makeDirectory(directory);
    return secretIn(join(directory, 'lock-names'));
  } catch {
    return undefined;
  }
}

/** Links a new file to its name only when it is complete. If another process was first, its secret counts. */
function secretIn(file: string): string {
  if (!fs.existsSync(file)) {
    const secret = randomBytes(32).toString('hex');
    const fresh = `${file}.${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;
    try {
      fs.writeFileSync(fresh, secret, { flag: 'wx', mode: 0o600 });
      fs.linkSync(fresh, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      fs.rmSync(fresh, { force: true });
    }
  }
  return readSecret(file);
}

function readSecret(file: string): string {
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    const isOurs = platform() === 'win32' || (stat.uid === userInfo().uid && (stat.mode & 0o077) === 0);
    const secret = stat.isFile() && isOurs ? fs.readFileSync(fd, 'latin1') : '';
    if (SECRET.test(secret)) return secret;
    throw new Error(`${file} is not a secret of this user`);
  } finally {
    fs.closeSync(fd);
  }
}
