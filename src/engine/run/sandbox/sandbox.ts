/** Whether commands can be put into a sandbox on this machine, and which one they get. */

import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fail } from '../../failures.ts';
import type { Programs } from '../programs.ts';
import type { BubblewrapFeatures } from './bubblewrap.ts';
import { bubblewrapArgs } from './bubblewrap.ts';
import { seccompFilter } from './seccomp.ts';

/** `auto` uses a sandbox where there is one, `require` runs nothing without, `off` never asks. */
export type SandboxMode = 'auto' | 'require' | 'off';

export type Detection =
  | { available: true; program: string; features: BubblewrapFeatures }
  /** `installed`: it is there and fails, perhaps only now. */
  | { available: false; installed: boolean; why: string };

export type SandboxPlan =
  | { kind: 'bubblewrap'; program: string; features: BubblewrapFeatures; network: boolean }
  /** There is none to use: commands run without. */
  | { kind: 'none'; why: string }
  /** There is one, and it fails: no command runs until it works. */
  | { kind: 'failing'; why: string };

const run = promisify(execFile);
/** A machine under load may take its time; what is late is not missing. */
const PROBE_MS = 60_000;
/** A sandbox that fails is tried again this long after at the earliest. */
const AGAIN_AFTER_MS = 1000;

interface Trial {
  /** Under way, or what it came to when that was good. */
  detection: Promise<Detection> | undefined;
  endedAt: number;
}

/** What a system may not let us have, the least loss first. */
const WEAKER: readonly Partial<BubblewrapFeatures>[] = [
  { disableUserns: false },
  { seccomp: false },
  { disableUserns: false, seccomp: false },
];
const filter = seccompFilter({ unixSockets: true });

const trials = new Map<string, Trial>();

/** Why there is no sandbox to be tried at all, as far as can be told at once. */
export function whyNoSandbox(mode: SandboxMode, programs: Programs): string | undefined {
  if (mode === 'off') return 'switched off';
  if (process.platform !== 'linux') return 'bubblewrap needs Linux';
  const isThere = programs.found.has('bwrap') || programs.inRoots.has('bwrap');
  return isThere ? undefined : 'bubblewrap (bwrap) is not installed';
}

/** Tries bubblewrap with everything that a command would get. Only a good answer is kept. */
export function detectSandbox(programs: Programs): Promise<Detection> {
  const why = whyNoSandbox('auto', programs);
  if (why !== undefined) return Promise.resolve({ available: false, installed: false, why });
  const program = programs.found.get('bwrap');
  if (program === undefined) {
    const seen = programs.inRoots.get('bwrap')!;
    const reason = `${seen} lies in a served directory, where it is not trusted; serve another one, or use --sandbox off`;
    return Promise.resolve({ available: false, installed: true, why: reason });
  }
  const trial = trials.get(program) ?? { detection: undefined, endedAt: 0 };
  trials.set(program, trial);
  trial.detection ??= tryOnce(program, trial);
  return trial.detection;
}

async function tryOnce(program: string, trial: Trial): Promise<Detection> {
  await delay(Math.max(0, trial.endedAt + AGAIN_AFTER_MS - Date.now()));
  const detection = await probe(program);
  trial.endedAt = Date.now();
  if (!detection.available) trial.detection = undefined;
  return detection;
}

/** Chooses the sandbox for the next command, or fails when one is required and missing. */
export async function planSandbox(
  mode: SandboxMode,
  programs: Programs,
  network: boolean,
): Promise<SandboxPlan> {
  if (mode === 'off') return { kind: 'none', why: 'switched off' };
  const detection = await detectSandbox(programs);
  if (detection.available) {
    return { kind: 'bubblewrap', program: detection.program, features: detection.features, network };
  }
  if (mode === 'require') fail({ kind: 'no-sandbox', reason: detection.why });
  return { kind: detection.installed ? 'failing' : 'none', why: detection.why };
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
    for (const without of WEAKER) {
      const weaker = { ...features, ...without };
      if ((await failureOf(program, weaker)) !== undefined) continue;
      // What is found is kept: a failure that has passed in between must not cost a layer for good.
      const isLasting = (await failureOf(program, features)) !== undefined;
      return { available: true, program, features: isLasting ? weaker : features };
    }
    return { available: false, installed: true, why };
  } catch (thrown) {
    const why = `bubblewrap does not answer: ${firstLine((thrown as Error).message)}`;
    return { available: false, installed: true, why };
  }
}

async function failureOf(program: string, features: BubblewrapFeatures): Promise<string | undefined> {
  const view = {
    roots: [],
    numbers: [],
    fixed: [],
    filter: features.seccomp ? 0 : undefined,
    cwd: '/',
    network: false,
    installations: [],
    etc: '/nonexistent',
    temporaryMiB: 1,
  };
  try {
    const args = [...bubblewrapArgs(view, features), '/bin/sh', '-c', 'exit 0'];
    const trying = run(program, args, { cwd: '/', timeout: PROBE_MS, killSignal: 'SIGKILL', env: {} });
    trying.child.stdin?.on('error', () => {}).end(features.seccomp ? filter : undefined);
    await trying;
    return undefined;
  } catch (thrown) {
    const said = firstLine((thrown as { stderr?: string }).stderr ?? '');
    return `bubblewrap cannot make a sandbox here: ${said || firstLine((thrown as Error).message)}`;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!;
}
