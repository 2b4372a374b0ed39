/** Turns a command into a launch: the argv, the environment and the descriptors with which the system starts it. */

import { closeSync } from 'node:fs';
import { availableParallelism, release } from 'node:os';
import { basename, dirname } from 'node:path';
import { asMountPoint } from '../confine/mounts.ts';
import { isBelow, isWithin } from '../confine/roots.ts';
import { failTooLong, MOST_ARGUMENTS } from './policy/length.ts';
import { SETPRIV_ARGS } from './probe-programs.ts';
import { layOutDescriptors } from './process/descriptors.ts';
import { commandEnvironment } from './process/environment.ts';
import type { ResourceLimits } from './process/resource-limits.ts';
import { withLimits } from './process/resource-limits.ts';
import type { Launch } from './process/run.ts';
import type { Profile } from './profiles.ts';
import type { SandboxRoot } from './sandbox/bubblewrap.ts';
import { bubblewrapArgs, sandboxPlaces } from './sandbox/bubblewrap.ts';
import type { SandboxPlace } from './sandbox/held-places.ts';
import { holdDirectoriesBetween, releaseDirectories } from './sandbox/held-places.ts';
import type { Installations } from './sandbox/installations.ts';
import { whenMounted } from './sandbox/mount-check.ts';
import type { SandboxPlan } from './sandbox/sandbox.ts';
import { openSeccompFilter } from './sandbox/seccomp.ts';
import type { MaskedPlace } from './sandbox/withheld-places.ts';
import type { Scratch } from './scratch.ts';

/** The settings that all commands of an engine share. */
export interface LaunchSettings {
  roots: readonly SandboxRoot[];
  /** Places inside writable roots that commands may read, but neither change nor move. */
  guarded: readonly SandboxPlace[];
  /** Sockets and FIFOs that commands must not reach. */
  masked: readonly string[];
  /** The files and directories that the owner of the server denies or hides. */
  withheld: readonly MaskedPlace[];
  sandbox: SandboxPlan;
  scratch: Scratch;
  /** The PATH of commands. */
  path: string;
  /** Variables that the operator asked to pass through, with their values. */
  passedVariables: Readonly<Record<string, string>>;
  /** What programs need to see outside the system's directories. */
  installations: Installations;
  /** The path of setpriv. Undefined: the system has none that works. */
  setpriv: string | undefined;
}

export interface LaunchRequest {
  settings: LaunchSettings;
  profile: Profile;
  /** The absolute path of the program. */
  program: string;
  args: readonly string[];
  /** `handle` names a held directory, like /proc/self/fd/N; `path` is its real path, for use inside the sandbox. */
  cwd: { handle: string; path: string };
  timeoutMs: number;
}

/** `mark` is the text that all processes of the run carry in their environment. */
export function prepareLaunch(request: LaunchRequest, mark: string): Launch {
  const { sandbox } = request.settings;
  if (sandbox.kind !== 'bubblewrap') return prepareUnconfined(request, mark);
  const launch = prepareSandboxed(request, mark, sandbox);
  const own = launch.args.length + 1 - request.args.length;
  // If the sandbox alone needs too many arguments, the command is not to blame: bubblewrap then reports it.
  if (own <= MOST_ARGUMENTS && own + request.args.length > MOST_ARGUMENTS) {
    launch.release();
    failTooLong(request.program);
  }
  return launch;
}

function prepareSandboxed(
  request: LaunchRequest,
  mark: string,
  sandbox: Extract<SandboxPlan, { kind: 'bubblewrap' }>,
): Launch {
  const { profile, settings, cwd } = request;
  const seen = placesSeen(request);
  const { roots, guarded, masked, withheld } = seen;
  const between = holdDirectoriesBetween([...roots, ...guarded, ...withheld]);
  // A command can only move directories inside a place that it can write to.
  const movable = between.filter(({ writable }) => writable);
  const inside = [...movable.map((one) => ({ ...one, fd: one.dir.fd })), ...guarded];
  const held = [...roots, ...inside].map(({ fd }) => (sandbox.features.bindFd ? fd : undefined));
  const { seccomp } = sandbox.features;
  // A read-only mount does not stop connections: a command that may write nothing must not ask a service to write.
  const unixSockets = roots.some(({ writable }) => writable);
  const filter = seccomp ? openSeccompFilter(settings.scratch.path, { unixSockets }) : undefined;
  const { stdio, numbers: left } = layOutDescriptors([...held, filter].flatMap((fd) => fd ?? []));
  const numbers = held.map((fd) => (fd === undefined ? undefined : left.shift()));
  const fixed = inside.map((one, index) => ({ ...one, number: numbers[roots.length + index] }));
  const view = {
    roots,
    numbers: numbers.slice(0, roots.length),
    fixed,
    masked,
    withheld,
    empty: settings.scratch.empty,
    filter: filter === undefined ? undefined : left.at(-1),
    cwd: cwd.path,
    network: sandbox.network,
    installations: settings.installations.visible,
    etc: settings.scratch.etc,
    temporaryMiB: profile.temporaryMiB,
  };
  const argv = limited(request, [], countableLimits(profile.limits));
  return {
    file: sandbox.program,
    args: [...bubblewrapArgs(view, sandbox.features), ...whenMounted(checkedMountPoints(seen, fixed), argv)],
    cwd: '/',
    env: environment(request, sandboxPlaces(roots.map(({ path }) => path)), mark),
    stdio,
    sandboxed: true,
    needsOrphanGuard: false,
    release: () => {
      releaseDirectories(between);
      if (filter !== undefined) closeSync(filter);
    },
  };
}

type SeenPlaces = Pick<LaunchSettings, 'roots' | 'guarded' | 'masked' | 'withheld'>;

/** The places that the command sees. Nothing inside a masked directory can be mounted, and nothing needs to be. */
function placesSeen({ profile, settings }: LaunchRequest): SeenPlaces {
  const { withheld } = settings;
  const isSeen = ({ path }: { path: string }) => !withheld.some((each) => isWithin(path, each.path));
  return {
    roots: settings.roots
      .filter(isSeen)
      .map((root) => ({ ...root, writable: root.writable && profile.writes })),
    guarded: settings.guarded.filter(isSeen),
    masked: settings.masked.filter((path) => isSeen({ path })),
    withheld,
  };
}

/**
 * The mount points that must be in their places. bubblewrap itself creates that of a root that lies in no other root, so
 * no link can be there.
 */
function checkedMountPoints(
  { roots, masked, withheld }: SeenPlaces,
  fixed: readonly { path: string }[],
): string[] {
  const nested = roots.filter(({ path }) => roots.some((other) => isBelow(path, other.path)));
  const paths = [...nested, ...fixed, ...withheld].map(({ path }) => path);
  return [...paths, ...masked].map(asMountPoint);
}

function prepareUnconfined(request: LaunchRequest, mark: string): Launch {
  const { settings, profile } = request;
  const { setpriv } = settings;
  const prefix = setpriv ? [setpriv, ...SETPRIV_ARGS] : [];
  // Without a user namespace for the command, the kernel would count all processes of the user.
  const { processes: _, ...limits } = profile.limits;
  const [file, ...args] = limited(request, prefix, limits);
  return {
    file: file!,
    args,
    cwd: request.cwd.handle,
    env: environment(request, settings.scratch.places, mark),
    stdio: layOutDescriptors([]).stdio,
    sandboxed: false,
    // setpriv makes a single process die with the server; its children would survive.
    needsOrphanGuard: profile.forks || setpriv === undefined,
    release: () => {},
  };
}

/** The argv of the command after `prefix`, with its limits. If it starts no others, PATH is just its own directory. */
function limited(request: LaunchRequest, prefix: readonly string[], limits: ResourceLimits): string[] {
  const { profile, program, args, timeoutMs } = request;
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * availableParallelism() + 5;
  if (profile.forks) return withLimits([...prefix, program, ...args], limits, cpuSeconds);
  return withLimits([...prefix, basename(program), ...args], limits, cpuSeconds, dirname(program));
}

/** The limits that this kernel can count: processes by user namespace only since 5.14, and never those of root. */
function countableLimits(limits: ResourceLimits): ResourceLimits {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  if (major > 5 || (major === 5 && minor >= 14)) return limits;
  const { processes: _, ...rest } = limits;
  return rest;
}

function environment(
  request: LaunchRequest,
  places: { home: string; temporary: string },
  mark: string,
): Record<string, string> {
  const { path, passedVariables, installations } = request.settings;
  return commandEnvironment({
    ...places,
    path,
    passedVariables: { ...installations.variables, ...passedVariables },
    mark,
  });
}
