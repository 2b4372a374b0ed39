/**
 * Every test run has a directory of its own for temporary files, for the state of the servers that tests start, and
 * for what tests build. It goes when the run ends, with whatever a test or a killed server left in it.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 31;

export default function setup(): () => void {
  const base = mkdtempSync(join(tmpdir(), 'cofferdam-tests.'));
  const memory = mkdtempSync(join(hasRoom(SHARED_MEMORY) ? SHARED_MEMORY : base, 'cofferdam-tests.'));
  const make = (name: string, mode: number) => {
    const path = join(base, name);
    mkdirSync(path);
    chmodSync(path, mode);
    return path;
  };
  // Some tests act as another user.
  for (const each of [base, memory]) chmodSync(each, 0o755);
  const temporary = make('tmp', 0o1777);
  process.env.TMPDIR = temporary;
  process.env.XDG_STATE_HOME = make('state', 0o700);
  process.env.COFFERDAM_TESTS_MEMORY = memory;
  process.env.COFFERDAM_TESTS_BUILT = make('built', 0o755);
  return () => {
    // The next server that starts removes those of killed ones.
    const left = readdirSync(temporary).filter((name) => !name.startsWith('cofferdam-run-'));
    if (left.length > 0) console.error(`left in the temporary directory: ${left.join(', ')}`);
    for (const each of [base, memory]) rmSync(each, { recursive: true, force: true });
  };
}

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
