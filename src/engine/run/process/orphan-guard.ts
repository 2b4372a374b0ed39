/**
 * A small shell process that outlives a killed server and ends the commands that the server left behind.
 *
 * It reads from a pipe. The server reports that a run is about to start, then its process group, then its end. When the
 * pipe closes, the guard kills whatever still runs. Sandboxed commands do not need it: they die with their namespace.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { MARK } from './environment.ts';

const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
live=' '
starting=0
while read -r change group; do
  case $change in
    start) starting=$((starting + 1)) ;;
    failed) starting=$((starting - 1)) ;;
    +) live="$live$group " starting=$((starting - 1)) ;;
    -) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
case $live in
  *[0-9]*) ;;
  *) [ $starting -eq 0 ] && exit 0 ;;
esac
pauses='0 0'
# A process that was starting when the server died gets its mark a moment later.
[ $starting -gt 0 ] && pauses='0 0.1 0.5 1'
for pause in $pauses; do
  [ $pause = 0 ] || sleep $pause
  for group in $live; do kill -KILL "-$group" 2>/dev/null; done
  for file in $(grep -lasF "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
done
`;

/** The reports on one run to the guard. */
interface RunReports {
  /** Reports that the command runs in this process group. */
  started(group: number): void;
  /** Reports that the command has ended, or could not be started. */
  ended(): void;
}

export class OrphanGuard {
  /** The part that all marks of this guard share. The guard kills only processes with it. */
  readonly #owner = randomUUID();
  #process: ChildProcess | undefined;

  /** A new mark for one run, which its processes carry in their environment. */
  newMark(): string {
    return `${this.#owner}.${randomUUID()}`;
  }

  /** Reports a run before it starts, so that a server that is killed during the start leaves nothing behind either. */
  announce(): RunReports {
    const pipe = this.#pipe();
    const report = (line: string) => {
      if (pipe?.writable) pipe.write(`${line}\n`);
    };
    let group: number | undefined;
    report('start');
    return {
      started: (of) => {
        group = of;
        report(`+ ${of}`);
      },
      ended: () => report(group === undefined ? 'failed' : `- ${group}`),
    };
  }

  stop(): void {
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  /** The pipe to the guard. The first run that needs the guard starts it. */
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
