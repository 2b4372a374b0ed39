/** Asks the installed programs what they can do, before the first command that needs to know. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Programs } from './programs.ts';
import { PROBE_MS } from './sandbox/sandbox.ts';

const execute = promisify(execFile);

/** What a program prints with these arguments. Undefined when it fails. */
async function outputOf(
  program: string | undefined,
  args: readonly string[],
  timeout = PROBE_MS,
): Promise<string | undefined> {
  if (program === undefined) return undefined;
  try {
    const { stdout } = await execute(program, [...args], {
      timeout,
      // A program that hangs may ignore SIGTERM.
      killSignal: 'SIGKILL',
      env: {},
      cwd: '/',
    });
    return stdout;
  } catch {
    return undefined;
  }
}

/** Which of sed, awk and grep are GNU's (or have the same options) and recent enough to have the safeguards we use. */
export async function gnuPrograms({ found }: Programs, timeout?: number): Promise<Set<string>> {
  const [sed = '', awk = '', grep = ''] = await Promise.all(
    ['sed', 'awk', 'grep'].map((name) => outputOf(found.get(name), ['--version'], timeout)),
  );
  const gnu = new Set<string>();
  if (/^sed \(GNU sed\) (?:4\.[3-9]|[5-9])/.test(sed)) gnu.add('sed');
  if (/^GNU Awk [4-9]/.test(awk)) gnu.add('awk');
  if (/\b(?:GNU|BSD) grep\b/.test(grep)) gnu.add('grep');
  return gnu;
}

export const SETPRIV_ARGS: readonly string[] = ['--no-new-privs', '--pdeathsig', 'KILL'];

/** The programs that worked, so that several engines try each only once. One that failed may only have been slow. */
const working = new Set<string>();

/** The path of setpriv, if it is the one from util-linux and has the options that the server needs. */
export async function workingSetpriv({ found }: Programs): Promise<string | undefined> {
  const program = found.get('setpriv');
  if (program === undefined || working.has(program)) return program;
  const works = await outputOf(program, [...SETPRIV_ARGS, '/bin/sh', '-c', 'exit 0']);
  if (works === undefined) return undefined;
  working.add(program);
  return program;
}
