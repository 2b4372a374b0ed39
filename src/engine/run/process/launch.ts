/** From a request to the argv, the environment and the descriptors that really start. */

import { closeSync } from 'node:fs';
import { availableParallelism, release } from 'node:os';
import { basename, dirname } from 'node:path';
import { isWithin } from '../../confine/roots.ts';
import { SETPRIV_ARGS } from '../probe-programs.ts';
import type { FrontDoor } from '../profiles.ts';
import type { SandboxRoot } from '../sandbox/bubblewrap.ts';
import { asMountPoint, bubblewrapArgs, sandboxPlaces } from '../sandbox/bubblewrap.ts';
import type { HeldPlace } from '../sandbox/held-places.ts';
import { holdWays, releaseWays } from '../sandbox/held-places.ts';
import type { Installations } from '../sandbox/installations.ts';
import type { SandboxPlan } from '../sandbox/sandbox.ts';
import type { Descriptors } from './descriptors.ts';
import { layDescriptors } from './descriptors.ts';
import { commandEnvironment } from './environment.ts';
import { newMark } from './orphan-guard.ts';
import type { ResourceLimits } from './resource-limits.ts';
import { whenMounted, withLimits } from './resource-limits.ts';
import type { Scratch } from './scratch.ts';

/** What is the same for all commands of a server. */
export interface Setting {
  roots: readonly SandboxRoot[];
  /** Places inside writable roots that commands may look at and neither change nor move. */
  guarded: readonly HeldPlace[];
  sandbox: SandboxPlan;
  scratch: Scratch;
  /** The PATH of commands. */
  path: string;
  /** Variables that are passed through. */
  passed: Readonly<Record<string, string>>;
  /** What programs need outside of the system's places. */
  installations: Installations;
  /** The program setpriv, where the system has one that works. */
  setpriv: string | undefined;
}

/** Those who run commands: their end is the end of theirs alone. */
export type Runner = object;

export type OutputListener = (chunk: Buffer, stream: 'stdout' | 'stderr') => void;

export interface RunRequest {
  runner: Runner;
  setting: Setting;
  door: FrontDoor;
  /** The absolute path of the program, found at the start. */
  program: string;
  args: readonly string[];
  /** `handle` is a held directory like /proc/self/fd/N; `path` its real path, for inside the sandbox. */
  cwd: { handle: string; path: string };
  timeoutMs: number;
  maxOutputBytes: number;
  signal?: AbortSignal | undefined;
  /** Told when nothing stands in the way any more. */
  onStart?: (() => void) | undefined;
  /** Told of everything that is printed, as it comes. */
  onOutput?: OutputListener | undefined;
}

export interface Launch {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdio: Descriptors['stdio'];
  mark: string;
  layers: string[];
  /** Gives back what was held for the start. */
  release(): void;
}

export function prepareLaunch(request: RunRequest): Launch {
  const { sandbox } = request.setting;
  return sandbox.kind === 'bubblewrap' ? prepareSandboxed(request, sandbox) : prepareUnconfined(request);
}

function prepareSandboxed(
  request: RunRequest,
  sandbox: Extract<SandboxPlan, { kind: 'bubblewrap' }>,
): Launch {
  const { door, setting, cwd } = request;
  const roots = setting.roots.map((root) => ({ ...root, writable: root.writable && door.writes }));
  const ways = holdWays([...roots, ...setting.guarded]);
  // What a command cannot write to it cannot move.
  const between = ways.filter(({ writable }) => writable);
  const inside = [...between.map((one) => ({ ...one, fd: one.dir.fd })), ...setting.guarded];
  const given = [...roots, ...inside].map(({ fd }) => (sandbox.features.bindFd ? fd : undefined));
  const { seccomp } = sandbox.features;
  // Where nothing may be written, nobody is to be asked to write either: no read-only mount stops a connection.
  const filter = seccomp ? setting.scratch.openFilter(roots.some(({ writable }) => writable)) : undefined;
  const { stdio, numbers: left } = layDescriptors([...given, filter].flatMap((fd) => fd ?? []));
  const numbers = given.map((fd) => (fd === undefined ? undefined : left.shift()));
  const fixed = inside.map((one, index) => ({ ...one, number: numbers[roots.length + index] }));
  const view = {
    roots,
    numbers: numbers.slice(0, roots.length),
    fixed,
    filter: filter === undefined ? undefined : left.at(-1),
    cwd: cwd.path,
    network: sandbox.network,
    installations: setting.installations.shown,
    etc: setting.scratch.etc,
    temporaryMiB: door.temporaryMiB,
  };
  const mark = newMark();
  const argv = limited(request, [], countableLimits(door.limits));
  // Alone, a root is mounted on what bubblewrap has made: nobody can have put a link there.
  const nested = roots.filter(({ path }) =>
    roots.some((other) => other.path !== path && isWithin(path, other.path)),
  );
  const mounted = [...nested, ...fixed].map(({ path }) => asMountPoint(path));
  return {
    file: sandbox.program,
    args: [...bubblewrapArgs(view, sandbox.features), ...whenMounted(mounted, argv)],
    cwd: '/',
    env: environment(request, sandboxPlaces(roots.map(({ path }) => path)), mark),
    stdio,
    mark,
    layers: ['bubblewrap', ...(sandbox.network ? [] : ['no-network']), 'limits', 'environment'],
    release: () => {
      releaseWays(ways);
      if (filter !== undefined) closeSync(filter);
    },
  };
}

function prepareUnconfined(request: RunRequest): Launch {
  const { setting, door } = request;
  const { setpriv } = setting;
  const mark = newMark();
  const bound = setpriv ? [setpriv, ...SETPRIV_ARGS] : [];
  // Outside of a namespace of its own all processes of the user would count.
  const { processes: _, ...limits } = door.limits;
  const [file, ...args] = limited(request, bound, limits);
  return {
    file: file!,
    args,
    cwd: request.cwd.handle,
    env: environment(request, setting.scratch.places, mark),
    stdio: layDescriptors([]).stdio,
    mark,
    layers: ['limits', 'environment', ...(setpriv ? ['no-new-privileges'] : [])],
    release: () => {},
  };
}

/** The command behind `bound`, held to limits. What starts no others needs its PATH only for itself. */
function limited(request: RunRequest, bound: readonly string[], limits: ResourceLimits): string[] {
  const { door, program, args, timeoutMs } = request;
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * availableParallelism() + 5;
  if (door.forks) return withLimits([...bound, program, ...args], limits, cpuSeconds);
  return withLimits([...bound, basename(program), ...args], limits, cpuSeconds, dirname(program));
}

/** Since Linux 5.14 processes are counted for each user namespace; the system's root is never held to it. */
function countableLimits(limits: ResourceLimits): ResourceLimits {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  if (major > 5 || (major === 5 && minor >= 14)) return limits;
  const { processes: _, ...rest } = limits;
  return rest;
}

function environment(
  request: RunRequest,
  places: { home: string; temporary: string },
  mark: string,
): Record<string, string> {
  const { path, passed, installations } = request.setting;
  return commandEnvironment({ ...places, path, passed: { ...installations.variables, ...passed }, mark });
}
