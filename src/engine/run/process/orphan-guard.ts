/**
 * A small shell process that outlives a server which is killed, and ends the commands that it left behind.
 *
 * It holds the other end of a pipe. Each run is reported when it starts and when it has ended; when the pipe
 * closes, whatever still runs is killed. Sandboxed commands do not need it: they die with their namespace.
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

/** The part of every mark that says which server a run belongs to. */
const server = randomUUID();
let watchman: ChildProcess | undefined;

/** The mark of one run, which its processes carry in their environment. */
export function newMark(): string {
  return `${server}.${randomUUID()}`;
}

/** Reports a run's process group; the function that comes back reports its end. */
export function watchOver(group: number): () => void {
  const reported = hire();
  reported?.write(`+ ${group}\n`);
  return () => {
    if (reported?.writable) reported.write(`- ${group}\n`);
  };
}

export function dismissWatchman(): void {
  watchman?.stdin?.end();
  watchman = undefined;
}

function hire(): ChildProcess['stdin'] | undefined {
  if (watchman?.stdin?.writable) return watchman.stdin;
  const hired = spawn('/bin/sh', ['-c', SCRIPT, 'sh', `${MARK}=${server}.`], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  hired.on('error', () => {});
  hired.stdin.on('error', () => {});
  hired.unref();
  // The pipe must not keep the server alive that it watches.
  (hired.stdin as unknown as { unref?: () => void }).unref?.();
  watchman = hired;
  return hired.stdin;
}
