/**
 * Every test run has directories of its own, on disk and in memory, for temporary files, for the state of the servers
 * that tests start, and for what tests build. They are removed when the run ends, with whatever a test or a killed
 * server left in them.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from './tree.ts';

const SHARED_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 31;

export default function setup(): () => void {
  const base = mkdtempSync(join(tmpdir(), 'cofferdam-tests.'));
  const memory = mkdtempSync(join(hasRoom(SHARED_MEMORY) ? SHARED_MEMORY : base, 'cofferdam-tests.'));
  const make = (under: string, name: string, mode: number) => {
    const path = join(under, name);
    mkdirSync(path);
    chmodSync(path, mode);
    return path;
  };
  // Some tests act as another user.
  for (const each of [base, memory]) chmodSync(each, 0o755);
  // test/temporary-directory.ts chooses one of them for each test.
  process.env.COFFERDAM_TESTS_DISK = base;
  process.env.COFFERDAM_TESTS_MEMORY = memory;
  const temporary = [base, memory].map((under) => make(under, 'tmp', 0o1777));
  for (const under of [base, memory]) make(under, 'state', 0o700);
  process.env.COFFERDAM_TESTS_BUILT = make(base, 'built', 0o755);
  return () => {
    // The next server to start removes the directories of killed servers.
    const names = temporary.flatMap((path) => readdirSync(path));
    const left = names.filter((name) => !name.startsWith('cofferdam-run-'));
    if (left.length > 0) console.error(`left in the temporary directory: ${left.join(', ')}`);
    for (const each of [base, memory]) removeTree(each);
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
