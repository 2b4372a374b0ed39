/**
 * A small shell process that outlives a killed server and ends the commands that the server left behind.
 *
 * It reads from a pipe. The server reports each run when it starts and when it has ended; when the pipe closes, the
 * guard kills whatever still runs. Sandboxed commands do not need it: they die with their namespace.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { MARK } from './environment.ts';

const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
live=' '
while read -r change group; do
  case $change in
    +) live="$live$group " ;;
    -) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
case $live in *[0-9]*) ;; *) exit 0 ;; esac
for round in 1 2; do
  for group in $live; do kill -KILL "-$group" 2>/dev/null; done
  for file in $(grep -lasF "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
done
`;

export class OrphanGuard {
  /** The part that the marks of all runs of this guard share: it kills nobody else's. */
  readonly #owner = randomUUID();
  #process: ChildProcess | undefined;

  /** The mark of one run, which its processes carry in their environment. */
  newMark(): string {
    return `${this.#owner}.${randomUUID()}`;
  }

  /** Reports the start of a run by its process group. The function that it returns reports the end. */
  watch(group: number): () => void {
    const pipe = this.#pipe();
    pipe?.write(`+ ${group}\n`);
    return () => {
      if (pipe?.writable) pipe.write(`- ${group}\n`);
    };
  }

  stop(): void {
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  /** The pipe to the guard, which starts with the first run that needs it. */
  #pipe(): ChildProcess['stdin'] | undefined {
    if (this.#process?.stdin?.writable) return this.#process.stdin;
    const started = spawn('/bin/sh', ['-c', SCRIPT, 'sh', `${MARK}=${this.#owner}.`], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    started.on('error', () => {});
    started.stdin.on('error', () => {});
    started.unref();
    // The pipe must not keep the server alive.
    (started.stdin as unknown as { unref?: () => void }).unref?.();
    this.#process = started;
    return started.stdin;
  }
}
