/** Whether commands can be put into a sandbox on this machine, and which one they get. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fail } from '../failures.ts';
import type { BubblewrapFeatures } from './bubblewrap.ts';
import { bubblewrapArgs } from './bubblewrap.ts';
import type { Programs } from './programs.ts';

/** `auto` uses a sandbox where there is one, `require` runs nothing without, `off` never asks. */
export type SandboxMode = 'auto' | 'require' | 'off';

export type Detection =
  | { available: true; program: string; features: BubblewrapFeatures }
  | { available: false; why: string };

export type SandboxPlan =
  | { kind: 'bubblewrap'; program: string; features: BubblewrapFeatures; network: boolean }
  | { kind: 'none'; why: string };

const run = promisify(execFile);
const PROBE_MS = 5000;
const detections = new Map<string, Promise<Detection>>();

/** Tries bubblewrap once with everything that a command would get. The answer is kept. */
export function detectSandbox(programs: Programs): Promise<Detection> {
  const program = programs.found.get('bwrap');
  if (process.platform !== 'linux') {
    return Promise.resolve({ available: false, why: 'bubblewrap needs Linux' });
  }
  if (!program) return Promise.resolve({ available: false, why: 'bubblewrap (bwrap) is not installed' });
  const known = detections.get(program) ?? probe(program);
  detections.set(program, known);
  return known;
}

/** Chooses the sandbox for all commands of a server, or fails when one is required and missing. */
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
  return { kind: 'none', why: detection.why };
}

async function probe(program: string): Promise<Detection> {
  try {
    const { stdout } = await run(program, ['--help'], { timeout: PROBE_MS, env: {} });
    const has = (option: string) => new RegExp(`^ +${option} `, 'm').test(stdout);
    const features = {
      bindFd: has('--bind-fd') && has('--ro-bind-fd'),
      disableUserns: has('--disable-userns'),
      size: has('--size'),
    };
    const why = await failureOf(program, features);
    if (why === undefined) return { available: true, program, features };
    const weaker = { ...features, disableUserns: false };
    if (features.disableUserns && (await failureOf(program, weaker)) === undefined) {
      return { available: true, program, features: weaker };
    }
    return { available: false, why };
  } catch (thrown) {
    return { available: false, why: `bubblewrap does not answer: ${firstLine((thrown as Error).message)}` };
  }
}

async function failureOf(program: string, features: BubblewrapFeatures): Promise<string | undefined> {
  const view = {
    roots: [],
    numbers: [],
    fixed: [],
    cwd: '/',
    network: false,
    installations: [],
    etc: '/nonexistent',
    temporaryMiB: 1,
  };
  try {
    const args = [...bubblewrapArgs(view, features), '/bin/sh', '-c', 'exit 0'];
    await run(program, args, { cwd: '/', timeout: PROBE_MS, env: {} });
    return undefined;
  } catch (thrown) {
    const said = firstLine((thrown as { stderr?: string }).stderr ?? '');
    return `bubblewrap cannot make a sandbox here: ${said || firstLine((thrown as Error).message)}`;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!;
}
