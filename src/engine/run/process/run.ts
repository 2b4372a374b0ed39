/** One run of a command: collects what it prints, and makes sure that it and all of its processes end in time. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineFailure, fail } from '../../failures.ts';
import type { Descriptors } from './descriptors.ts';
import { CappedStream } from './output.ts';
import { ProcessTree } from './process-tree.ts';
import { MAX_MEMORY_MIB, MAX_PROCESSES } from './resource-limits.ts';

/** How long a command may take to end after SIGTERM. */
export const TERM_GRACE_MS = 3000;
/** How long its streams may stay open after it has ended. */
const STREAM_GRACE_MS = 200;
/** How long to wait for a process that does not end after SIGKILL. */
export const STUCK_MS = 2000;
/** When to scan for new processes: often at first, when most commands fork, then at a steady rate. */
const FIRST_SCANS_MS = [5, 10, 20, 40, 80];
const SCAN_EVERY_MS = 100;

/** A program, ready to start. */
export interface Launch {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdio: Descriptors['stdio'];
  /** Whether it runs under bubblewrap, in a process namespace of its own. */
  sandboxed: boolean;
  /** Whether its processes could outlive a killed server. */
  needsOrphanGuard: boolean;
  /** Closes the descriptors that were open only for the start. */
  release(): void;
}

export type OutputListener = (chunk: Buffer, stream: 'stdout' | 'stderr') => void;

export interface RunOptions {
  /** The absolute path of the program, for error messages. */
  program: string;
  /** Whether it may start other processes, so that the server must look for leftovers. */
  forks: boolean;
  /** Whether it is a shell, which reports a signal as 128 + its number, as bubblewrap does. */
  shell: boolean;
  timeoutMs: number;
  /** The cap on each of the two streams. */
  maxOutputBytes: number;
  signal?: AbortSignal | undefined;
  /** Called just before the start. */
  onStart?: (() => void) | undefined;
  /** Called with everything that the command prints, as it comes. */
  onOutput?: OutputListener | undefined;
}

export interface RunResult {
  /** Null when a signal or the time limit ended the command. */
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** What ended the run: the command itself, or a limit on time, processes or memory. */
  endedBy: 'itself' | 'timeout' | 'too-many-processes' | 'too-much-memory';
  stdout: string;
  stderr: string;
  stdoutTruncated: boolean;
  stderrTruncated: boolean;
  stdoutBytes: number;
  stderrBytes: number;
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export class Run {
  readonly #options: RunOptions;
  readonly #mark: string;
  readonly #child: ChildProcess;
  readonly #stdout: CappedStream;
  readonly #stderr: CappedStream;
  readonly #sandboxed: boolean;
  #tree: ProcessTree | undefined;
  #endedBy: RunResult['endedBy'] = 'itself';
  #cancelled = false;
  /** Whether the command itself has ended. Processes that it left behind may still run. */
  #ended = false;
  /** When the grace period ends. Undefined until something asks the command to end. */
  #killAt: number | undefined;
  /** Stops waiting for the end of the command: a process inside a system call may survive SIGKILL. */
  #giveUp: () => void = () => {};
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Starts the program. */
  constructor(launch: Launch, mark: string, options: RunOptions) {
    this.#options = options;
    this.#mark = mark;
    this.#sandboxed = launch.sandboxed;
    this.#stdout = new CappedStream(options.maxOutputBytes);
    this.#stderr = new CappedStream(options.maxOutputBytes);
    this.#child = start(launch);
    for (const [name, to] of [
      ['stdout', this.#stdout],
      ['stderr', this.#stderr],
    ] as const) {
      const from = this.#child[name];
      from?.on('data', (chunk: Buffer) => {
        to.add(chunk);
        options.onOutput?.(chunk, name);
      });
      // A stream that fails ends. What it gave before is still the output.
      from?.on('error', () => {});
    }
  }

  /** The process group of the command. Undefined when it could not be started. */
  get group(): number | undefined {
    return this.#child.pid;
  }

  /** Waits for the end. Fails when the command could not be started or was cancelled. */
  async result(): Promise<RunResult> {
    const child = this.#child;
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', (error) => reject(startFailure(error, this.#options.program)));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    if (child.pid === undefined) {
      await ended;
      return fail({ kind: 'io', path: this.#options.program, action: 'run', code: 'unknown' });
    }
    const cancel = () => this.#cancel();
    this.#tree = new ProcessTree(child.pid, this.#mark, this.#sandboxed);
    this.#options.signal?.addEventListener('abort', cancel, { once: true });
    this.#later(this.#options.timeoutMs, () => this.terminate('timeout'));
    if (this.#options.forks) this.#watchTree(0);
    try {
      const stuck = new Promise<void>((resolve) => {
        this.#giveUp = resolve;
      });
      const end = (await Promise.race([ended, stuck])) ?? { code: null, signal: 'SIGKILL' };
      this.#ended = true;
      await this.#endLeftovers(closed);
      if (this.#cancelled) fail({ kind: 'cancelled' });
      return this.#describe(end);
    } finally {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#options.signal?.removeEventListener('abort', cancel);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
  }

  /** Sends SIGTERM to every process now, and SIGKILL after the grace period. */
  terminate(why: RunResult['endedBy']): void {
    if (this.#killAt !== undefined || this.#ended) return;
    this.#endedBy = why;
    this.#killAt = Date.now() + TERM_GRACE_MS;
    this.#tree?.terminate();
    this.#later(TERM_GRACE_MS, () => this.kill());
  }

  kill(): void {
    this.#killAt = Math.min(this.#killAt ?? Number.POSITIVE_INFINITY, Date.now());
    this.#tree?.kill();
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

  #watchTree(scan: number): void {
    this.#later(FIRST_SCANS_MS[scan] ?? SCAN_EVERY_MS, () => {
      if (this.#ended) return;
      if ((this.#tree?.observe() ?? 0) > MAX_PROCESSES) this.#killFor('too-many-processes');
      const memory = this.#tree?.memoryMiB(MAX_MEMORY_MIB) ?? 0;
      if (memory > MAX_MEMORY_MIB) this.#killFor('too-much-memory');
      this.#watchTree(scan + 1);
    });
  }

  #killFor(why: RunResult['endedBy']): void {
    if (this.#killAt === undefined) this.#endedBy = why;
    this.kill();
  }

  /** Ends the processes that the command left behind, and reads what they still print. */
  async #endLeftovers(closed: Promise<void>): Promise<void> {
    const tree = this.#tree!;
    const mayLeave = this.#options.forks && !this.#sandboxed;
    while (mayLeave && Date.now() < (this.#killAt ?? 0) && tree.members().length > 0) await delay(25);
    await Promise.race([closed, delay(STREAM_GRACE_MS, undefined, { ref: false })]);
    if (mayLeave) await tree.killAndConfirm();
    await Promise.race([closed, delay(STREAM_GRACE_MS, undefined, { ref: false })]);
  }

  #describe({ code, signal }: Ended): RunResult {
    const interrupted = this.#endedBy !== 'itself';
    const stdout = this.#stdout.result(interrupted);
    const stderr = this.#stderr.result(interrupted);
    if (this.#sandboxed && code === 1 && stdout.bytes === 0 && stderr.text.startsWith('bwrap: ')) {
      fail({ kind: 'no-sandbox', reason: stderr.text.trim() });
    }
    const endedBySignal = signal ?? this.#signalInCode(code);
    return {
      exitCode: interrupted || endedBySignal ? null : code,
      signal: endedBySignal,
      timedOut: this.#endedBy === 'timeout',
      endedBy: this.#endedBy,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutTruncated: stdout.truncated,
      stderrTruncated: stderr.truncated,
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
    };
  }

  /** The signal in an exit code above 128, which is how bubblewrap, like a shell, reports one. */
  #signalInCode(code: number | null): string | null {
    if (!this.#sandboxed || code === null || code <= 128) return null;
    if (this.#options.shell && this.#endedBy === 'itself') return null;
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
