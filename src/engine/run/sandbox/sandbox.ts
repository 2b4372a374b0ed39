/** Finds out whether commands can have a sandbox on this machine. */

import { type ExecFileException, execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fail } from '../../failures.ts';
import type { BubblewrapFeatures } from './bubblewrap.ts';
import { bubblewrapArgs } from './bubblewrap.ts';
import { seccompFilter } from './seccomp.ts';
import { type BubblewrapProgram, type SandboxMode, whyNoSandbox } from './why-no-sandbox.ts';

type Detection =
  | { available: true; program: string; features: BubblewrapFeatures }
  /** `installed`: bubblewrap exists but fails, perhaps only for the moment. */
  | { available: false; installed: boolean; why: string };

export type SandboxPlan =
  | { kind: 'bubblewrap'; program: string; features: BubblewrapFeatures; network: boolean }
  /** Commands run without a sandbox. */
  | { kind: 'none'; why: string }
  /** Bubblewrap is installed but fails: no command runs until it works. */
  | { kind: 'failing'; why: string };

const run = promisify(execFile);
/** A machine under load may be slow, so a late answer must not count as a failure. */
export const PROBE_MS = 60_000;
/** How long calls wait for a trial before the server refuses them: clients give up after 30 or 60 s. */
const PATIENCE_MS = 20_000;
/** The shortest time between two trials of a failing sandbox. */
const RETRY_AFTER_MS = 1000;
const NO_ANSWER = `bubblewrap gave no answer for ${PROBE_MS / 1000} s`;
const CANNOT = 'bubblewrap cannot make a sandbox here';

interface Trial {
  /** The result of a trial that is under way or succeeded. */
  detection: Promise<Detection> | undefined;
  beganAt: number;
  endedAt: number;
}

/** Features that a system may refuse, in the order in which the server gives them up. */
const WEAKER: readonly Partial<BubblewrapFeatures>[] = [
  { disableUserns: false },
  { seccomp: false },
  { disableUserns: false, seccomp: false },
];
const filter = seccompFilter({ unixSockets: true });

/** The trials by the path of bubblewrap. All engines share them: whether it works depends on the machine. */
const trials = new Map<string, Trial>();

/** Tries bubblewrap with every feature that a command would get. Only a success is remembered. */
function detectSandbox(bwrap: BubblewrapProgram, patienceMs: number): Promise<Detection> {
  const why = whyNoSandbox('auto', bwrap);
  if (why !== undefined) return Promise.resolve({ available: false, installed: false, why });
  const { path, passedOver } = bwrap;
  if (path === undefined) {
    const reason = `${passedOver}; fix that and restart the server, or use --sandbox off`;
    return Promise.resolve({ available: false, installed: true, why: reason });
  }
  const trial = trials.get(path) ?? { detection: undefined, beganAt: 0, endedAt: 0 };
  trials.set(path, trial);
  if (!trial.detection) {
    trial.beganAt = Date.now();
    trial.detection = tryOnce(path, trial);
  }
  return orTooSlow(trial.detection, trial.beganAt, patienceMs);
}

async function tryOnce(program: string, trial: Trial): Promise<Detection> {
  await delay(Math.max(0, trial.endedAt + RETRY_AFTER_MS - Date.now()));
  const detection = await probe(program);
  trial.endedAt = Date.now();
  if (!detection.available) trial.detection = undefined;
  return detection;
}

/** Chooses the sandbox for the next command, or fails when one is required and missing. */
export async function planSandbox(
  mode: SandboxMode,
  bwrap: BubblewrapProgram,
  network: boolean,
  patienceMs: number = PATIENCE_MS,
): Promise<SandboxPlan> {
  if (mode === 'off') return { kind: 'none', why: 'switched off' };
  const detection = await detectSandbox(bwrap, patienceMs);
  if (detection.available) {
    return { kind: 'bubblewrap', program: detection.program, features: detection.features, network };
  }
  if (mode === 'require') fail({ kind: 'no-sandbox', reason: detection.why });
  return { kind: detection.installed ? 'failing' : 'none', why: detection.why };
}

/** Waits for the trial, but only until it is too old. It continues, and later calls use its result. */
async function orTooSlow(trial: Promise<Detection>, beganAt: number, patienceMs: number): Promise<Detection> {
  const over = new AbortController();
  const why = `bubblewrap has not answered for ${patienceMs / 1000} s; the server keeps waiting for it`;
  const tooSlow: Detection = { available: false, installed: true, why };
  const left = Math.max(0, beganAt + patienceMs - Date.now());
  const patience = delay(left, tooSlow, { signal: over.signal, ref: false });
  patience.catch(() => {});
  try {
    return await Promise.race([trial, patience]);
  } finally {
    over.abort();
  }
}

async function probe(program: string): Promise<Detection> {
  try {
    const { stdout } = await run(program, ['--help'], { timeout: PROBE_MS, killSignal: 'SIGKILL', env: {} });
    const has = (option: string) => new RegExp(`^ +${option} `, 'm').test(stdout);
    const features = {
      bindFd: has('--bind-fd') && has('--ro-bind-fd'),
      disableUserns: has('--disable-userns'),
      size: has('--size'),
      seccomp: has('--seccomp') && filter !== undefined,
    };
    const why = await failureOf(program, features);
    if (why === undefined) return { available: true, program, features };
    if (why === NO_ANSWER) return { available: false, installed: true, why };
    for (const without of WEAKER) {
      const weaker = { ...features, ...without };
      if ((await failureOf(program, weaker)) !== undefined) continue;
      // The server remembers the result: a failure that has passed by now must not cost a feature for good.
      const isLasting = (await failureOf(program, features)) !== undefined;
      return { available: true, program, features: isLasting ? weaker : features };
    }
    return { available: false, installed: true, why };
  } catch (thrown) {
    return { available: false, installed: true, why: reasonOf(thrown) };
  }
}

async function failureOf(program: string, features: BubblewrapFeatures): Promise<string | undefined> {
  const view = {
    roots: [],
    numbers: [],
    fixed: [],
    masked: [],
    withheld: [],
    empty: '/nonexistent',
    filter: features.seccomp ? 0 : undefined,
    cwd: '/',
    network: false,
    installations: [],
    etc: '/nonexistent',
    temporaryMiB: 1,
  };
  try {
    const args = [...bubblewrapArgs(view, features), '/bin/sh', '-c', 'echo ran'];
    const trying = run(program, args, { cwd: '/', timeout: PROBE_MS, killSignal: 'SIGKILL', env: {} });
    trying.child.stdin?.on('error', () => {}).end(features.seccomp ? filter : undefined);
    const { stdout } = await trying;
    return stdout === 'ran\n' ? undefined : `${CANNOT}: it ended without starting the command`;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

function reasonOf(thrown: unknown): string {
  const { killed, code, stderr, message } = thrown as Omit<ExecFileException, 'code'> & { code?: unknown };
  // Node also kills a program that prints too much.
  const isTooSlow = killed && code !== 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
  return isTooSlow ? NO_ANSWER : `${CANNOT}: ${firstLine(stderr ?? '') || firstLine(message)}`;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!;
}
