/** Starts a command, collects what it prints, and sees to it that it ends: by itself, in time, completely. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineFailure, fail } from '../../failures.ts';
import type { Launch, Runner, RunRequest } from './launch.ts';
import { prepareLaunch } from './launch.ts';
import { dismissWatchman, watchOver } from './orphan-guard.ts';
import { CappedStream } from './output.ts';
import { Family } from './process-tree.ts';
import { MAX_MEMORY_MIB, MAX_PROCESSES } from './resource-limits.ts';

/** How long a command may take to end after it was asked to. */
const TERM_GRACE_MS = 3000;
/** How long its streams may stay open after it has ended. */
const STREAM_GRACE_MS = 200;
/** How long to wait for a process that was killed and does not go. */
const STUCK_MS = 2000;
/** When to look for new processes: often at first, when commands fork, then now and then. */
const LOOK_AFTER_MS = [5, 10, 20, 40, 80];
const LOOK_EVERY_MS = 100;

export interface RunResult {
  /** Null when a signal or the time limit ended the command. */
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** What ended it: the command itself, or a limit on time, on processes or on the memory of all of them. */
  endedBy: 'itself' | 'timeout' | 'too-many-processes' | 'too-much-memory';
  stdout: string;
  stderr: string;
  stdoutTruncated: boolean;
  stderrTruncated: boolean;
  stdoutBytes: number;
  stderrBytes: number;
  /** The layers that were around this command. */
  layers: readonly string[];
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const live = new Set<Run>();

/** Runs one command to its end. Fails when it cannot be started or is cancelled. */
export async function runCommand(request: RunRequest): Promise<RunResult> {
  if (request.signal?.aborted) fail({ kind: 'cancelled' });
  const launch = prepareLaunch(request);
  let run: Run;
  try {
    request.onStart?.();
    run = new Run(request, launch);
  } finally {
    launch.release();
  }
  return run.result();
}

/** Asks all commands of one runner to end, waits for them, and kills what is left after the grace. */
export async function endRunsOf(runner: Runner): Promise<void> {
  for (const run of runsOf(runner)) run.cancelGently();
  const deadline = Date.now() + TERM_GRACE_MS + STUCK_MS;
  while (runsOf(runner).length > 0 && Date.now() < deadline) await delay(10);
  killRunsOf(runner);
  if (live.size === 0) dismissWatchman();
}

/** Kills them at once: for when there is no time to wait. */
export function killRunsOf(runner: Runner): void {
  for (const run of runsOf(runner)) run.kill();
}

function runsOf(runner: Runner): Run[] {
  return [...live].filter((run) => run.runner === runner);
}

class Run {
  readonly runner: Runner;
  readonly #request: RunRequest;
  readonly #launch: Launch;
  readonly #child: ChildProcess;
  readonly #stdout: CappedStream;
  readonly #stderr: CappedStream;
  readonly #sandboxed: boolean;
  #family: Family | undefined;
  #endedBy: RunResult['endedBy'] = 'itself';
  #cancelled = false;
  /** The command itself has ended; only what it left is still looked after. */
  #over = false;
  /** When the grace is over; undefined as long as nobody was asked to end. */
  #killAt: number | undefined;
  /** A process in the middle of a system call cannot be killed: the call is answered without its end. */
  #giveUp: () => void = () => {};
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(request: RunRequest, launch: Launch) {
    this.runner = request.runner;
    this.#request = request;
    this.#launch = launch;
    this.#sandboxed = request.setting.sandbox.kind === 'bubblewrap';
    this.#stdout = new CappedStream(request.maxOutputBytes);
    this.#stderr = new CappedStream(request.maxOutputBytes);
    this.#child = start(launch);
    for (const [name, to] of [
      ['stdout', this.#stdout],
      ['stderr', this.#stderr],
    ] as const) {
      const from = this.#child[name];
      from?.on('data', (chunk: Buffer) => {
        to.add(chunk);
        request.onOutput?.(chunk, name);
      });
      // What can no longer be read is what the command printed so far.
      from?.on('error', () => {});
    }
  }

  async result(): Promise<RunResult> {
    const child = this.#child;
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', (error) => reject(startFailure(error, this.#request.program)));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    if (child.pid === undefined) {
      await ended;
      return fail({ kind: 'io', path: this.#request.program, action: 'run', code: 'unknown' });
    }
    const cancel = () => this.#cancel();
    const forget = this.#needsWatchman() ? watchOver(child.pid) : () => {};
    this.#family = new Family(child.pid, this.#launch.mark, this.#sandboxed);
    live.add(this);
    this.#request.signal?.addEventListener('abort', cancel, { once: true });
    this.#later(this.#request.timeoutMs, () => this.terminate('timeout'));
    if (this.#request.door.forks) this.#watchFamily(0);
    try {
      const stuck = new Promise<void>((resolve) => {
        this.#giveUp = resolve;
      });
      const end = (await Promise.race([ended, stuck])) ?? { code: null, signal: 'SIGKILL' };
      this.#over = true;
      await this.#windUp(closed);
      if (this.#cancelled) fail({ kind: 'cancelled' });
      return this.#describe(end);
    } finally {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#request.signal?.removeEventListener('abort', cancel);
      child.stdout?.destroy();
      child.stderr?.destroy();
      live.delete(this);
      forget();
    }
  }

  /** TERM for everybody now, KILL after the grace. */
  terminate(why: RunResult['endedBy']): void {
    if (this.#killAt !== undefined || this.#over) return;
    this.#endedBy = why;
    this.#killAt = Date.now() + TERM_GRACE_MS;
    this.#family?.terminate();
    this.#later(TERM_GRACE_MS, () => this.kill());
  }

  kill(): void {
    this.#killAt = Math.min(this.#killAt ?? Number.POSITIVE_INFINITY, Date.now());
    this.#family?.kill();
    this.#later(STUCK_MS, () => this.#giveUp());
  }

  cancelGently(): void {
    this.#cancelled = true;
    this.terminate('itself');
  }

  #cancel(): void {
    this.#cancelled = true;
    this.kill();
  }

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  /** A single process dies with the server by itself, where setpriv is there to see to it. */
  #needsWatchman(): boolean {
    const { setting, door } = this.#request;
    return !this.#sandboxed && (door.forks || setting.setpriv === undefined);
  }

  #watchFamily(turn: number): void {
    this.#later(LOOK_AFTER_MS[turn] ?? LOOK_EVERY_MS, () => {
      if (this.#over) return;
      if ((this.#family?.observe() ?? 0) > MAX_PROCESSES) this.#killFor('too-many-processes');
      const memory = this.#family?.memoryMiB(MAX_MEMORY_MIB) ?? 0;
      if (memory > MAX_MEMORY_MIB) this.#killFor('too-much-memory');
      this.#watchFamily(turn + 1);
    });
  }

  #killFor(why: RunResult['endedBy']): void {
    if (this.#killAt === undefined) this.#endedBy = why;
    this.kill();
  }

  /** After the command's own end: what it left running is ended, what it still printed is taken in. */
  async #windUp(closed: Promise<void>): Promise<void> {
    const family = this.#family!;
    const mayLeave = this.#request.door.forks && !this.#sandboxed;
    while (mayLeave && Date.now() < (this.#killAt ?? 0) && family.members().length > 0) await delay(25);
    await Promise.race([closed, delay(STREAM_GRACE_MS, undefined, { ref: false })]);
    if (mayLeave) await family.killAndMakeSure();
    await Promise.race([closed, delay(STREAM_GRACE_MS, undefined, { ref: false })]);
  }

  #describe({ code, signal }: Ended): RunResult {
    const cutOff = this.#endedBy !== 'itself';
    const stdout = this.#stdout.result(cutOff);
    const stderr = this.#stderr.result(cutOff);
    if (this.#sandboxed && code === 1 && stdout.bytes === 0 && stderr.text.startsWith('bwrap: ')) {
      fail({ kind: 'no-sandbox', reason: stderr.text.trim() });
    }
    const seen = signal ?? this.#signalInCode(code);
    return {
      exitCode: cutOff || seen ? null : code,
      signal: seen,
      timedOut: this.#endedBy === 'timeout',
      endedBy: this.#endedBy,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutTruncated: stdout.truncated,
      stderrTruncated: stderr.truncated,
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      layers: this.#launch.layers,
    };
  }

  /** bubblewrap tells of a signal as a shell does, by an exit code of 128 and more. */
  #signalInCode(code: number | null): string | null {
    if (!this.#sandboxed || code === null || code <= 128) return null;
    if (this.#request.door.shell && this.#endedBy === 'itself') return null;
    const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
    return found?.[0] ?? null;
  }
}

function start(launch: Launch): ChildProcess {
  const { file, args, cwd, env, stdio } = launch;
  try {
    return spawn(file, args, { cwd, env, stdio, detached: true, windowsHide: true });
  } catch (thrown) {
    throw startFailure(thrown as Error, file);
  }
}

function startFailure(error: Error, program: string): EngineFailure {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return new EngineFailure({ kind: 'io', path: program, action: 'run', code }, error);
}
