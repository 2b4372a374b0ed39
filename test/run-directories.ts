/**
 * Every test run has a directory of its own for temporary files, for the state of the servers that tests start, and
 * for what tests build. It goes when the run ends, with whatever a test or a killed server left in it.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  const base = mkdtempSync(join(tmpdir(), 'cofferdam-tests-'));
  const make = (name: string, mode: number) => {
    const path = join(base, name);
    mkdirSync(path);
    chmodSync(path, mode);
    return path;
  };
  // Some tests act as another user.
  chmodSync(base, 0o755);
  const temporary = make('tmp', 0o1777);
  process.env.TMPDIR = temporary;
  process.env.XDG_STATE_HOME = make('state', 0o700);
  process.env.COFFERDAM_TESTS_BUILT = make('built', 0o755);
  return () => {
    // The next server that starts removes those of killed ones.
    const left = readdirSync(temporary).filter((name) => !name.startsWith('cofferdam-run-'));
    if (left.length > 0) console.error(`left in the temporary directory: ${left.join(', ')}`);
    rmSync(base, { recursive: true, force: true });
  };
}
