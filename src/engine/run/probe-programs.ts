/** What the installed programs can do, asked once at the start. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Programs } from './programs.ts';

/** A machine under load may take its time; what is late is not missing. */
const PROBE_MS = 60_000;
const execute = promisify(execFile);

/** What a program prints when it is asked this; undefined when it fails. */
async function answerTo(program: string | undefined, args: readonly string[]): Promise<string | undefined> {
  if (program === undefined) return undefined;
  try {
    const { stdout } = await execute(program, [...args], { timeout: PROBE_MS, env: {}, cwd: '/' });
    return stdout;
  } catch {
    return undefined;
  }
}

/** Which of sed, awk and grep are GNU's (or know the same) and recent enough for their own safeguards. */
export async function gnuPrograms({ found }: Programs): Promise<Set<string>> {
  const [sed = '', awk = '', grep = ''] = await Promise.all(
    ['sed', 'awk', 'grep'].map((name) => answerTo(found.get(name), ['--version'])),
  );
  const gnu = new Set<string>();
  if (/^sed \(GNU sed\) (?:4\.[3-9]|[5-9])/.test(sed)) gnu.add('sed');
  if (/^GNU Awk [4-9]/.test(awk)) gnu.add('awk');
  if (/\b(?:GNU|BSD) grep\b/.test(grep)) gnu.add('grep');
  return gnu;
}

export const SETPRIV_ARGS: readonly string[] = ['--no-new-privs', '--pdeathsig', 'KILL'];

/** The program setpriv, when it is util-linux's with all that is needed of it. */
export async function workingSetpriv({ found }: Programs): Promise<string | undefined> {
  const program = found.get('setpriv');
  const works = await answerTo(program, [...SETPRIV_ARGS, '/bin/sh', '-c', 'exit 0']);
  return works === undefined ? undefined : program;
}
