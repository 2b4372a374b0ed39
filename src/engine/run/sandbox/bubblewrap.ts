/** The arguments that make bubblewrap show a command the system's programs, the roots and nothing else. */

import { existsSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../confine/roots.ts';
import type { HeldPlace } from './held-places.ts';
import type { Shown } from './installations.ts';

export interface BubblewrapFeatures {
  bindFd: boolean;
  disableUserns: boolean;
  size: boolean;
  /** Whether a filter for system calls can be given, for this kind of processor. */
  seccomp: boolean;
}

export interface SandboxRoot extends HeldPlace {
  /** As it was given, when that is another path: a link there leads to the root. */
  given?: string;
}

/** A place in a root that is mounted on itself: nothing that a command does can move it. */
export interface FixedPlace {
  path: string;
  writable: boolean;
  /** The number of its descriptor in the child; undefined for none. */
  number: number | undefined;
}

export interface SandboxView {
  roots: readonly SandboxRoot[];
  /** The number of each root's descriptor in the child, in the same order; undefined for none. */
  numbers: readonly (number | undefined)[];
  /** What lies in roots and must stay in its place, perhaps under a stricter rule. */
  fixed: readonly FixedPlace[];
  /** The number of the descriptor from which the filter for system calls is read; undefined for none. */
  filter: number | undefined;
  cwd: string;
  network: boolean;
  /** What programs need that live outside of the system's places. */
  installations: readonly Shown[];
  /** The directory with the files that stand in for those of /etc. */
  etc: string;
  temporaryMiB: number;
}

interface Mount {
  at: string;
  args: string[];
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Directories that can be shown in parts, when a root stands in one of them. */
const DIVISIBLE = ['/usr', '/usr/local'];
const PARTS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include', 'local'];
/** Where the system keeps links to the one of several programs that goes by a name. */
export const ALTERNATIVES = '/etc/alternatives';
/** Where the loader finds libraries and the system its alternatives; what the clock shows. */
const ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime'];
const ETC_MADE = ['passwd', 'group', 'hosts'];
const ETC_NETWORK = [
  'resolv.conf',
  'nsswitch.conf',
  'ssl',
  'ca-certificates',
  'pki',
  'services',
  'protocols',
];

const SHARED_MEMORY_MIB = 64;
/** In /proc, what the system's root may write to by owning it, whatever namespace and capabilities it has. */
const ROOTS_OWN = ['acpi', 'asound', 'fs', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'];

/** The system's directories of programs, without what lies beside a root that is in one of them. */
export function systemDirectories(roots: readonly string[]): string[] {
  const without = (directory: string): string[] => {
    const holdsRoot = roots.some((root) => root !== directory && isWithin(root, directory));
    if (!holdsRoot || !DIVISIBLE.includes(directory)) return [directory];
    return PARTS.map((part) => join(directory, part)).flatMap(without);
  };
  return SYSTEM.flatMap(without).filter((directory) => existsSync(directory));
}

export function bubblewrapArgs(view: SandboxView, features: BubblewrapFeatures): string[] {
  const roots = view.roots.map(({ path }) => path);
  const mounts = [...rootMounts(view, features), ...ownMounts(view, features)];
  // What lies in a root is there already, and bubblewrap would make places to mount on in the root itself.
  for (const mount of systemMounts(view)) {
    if (!roots.some((root) => isWithin(mount.at, root))) mounts.push(mount);
  }
  // Parents come before what is mounted in them; a root wins over what would be mounted at its place.
  const chosen = mounts.filter((one, index) => mounts.findIndex(({ at }) => at === one.at) === index);
  chosen.sort((a, b) => (`${a.at}/` < `${b.at}/` ? -1 : 1));
  return [
    ...['user', 'ipc', 'pid', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`),
    ...(view.network ? [] : ['--unshare-net']),
    ...(features.disableUserns ? ['--disable-userns'] : []),
    ...['--hostname', 'cofferdam', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...chosen.flatMap(({ args }) => args),
    ...['--remount-ro', '/dev'],
    ...(roots.includes('/') ? [] : ['--remount-ro', '/']),
    ...(view.filter === undefined ? [] : ['--seccomp', String(view.filter)]),
    ...['--chdir', view.cwd, '--'],
  ];
}

/** Where a sandboxed command has its temporary files and its home. */
export function sandboxPlaces(roots: readonly string[]): { home: string; temporary: string } {
  const free = ['/tmp', '/var/tmp', '/run'].find((place) => !roots.some((root) => isWithin(place, root)));
  return free ? { temporary: free, home: `${free}/home` } : { temporary: '/tmp', home: '/tmp' };
}

function rootMounts({ roots, numbers, fixed }: SandboxView, features: BubblewrapFeatures): Mount[] {
  const numbered = roots.map((root, index) => ({ ...root, number: numbers[index] }));
  return [...numbered, ...fixed].map(({ path, writable, number }) => {
    const bind = writable ? '--bind' : '--ro-bind';
    const byPath = number === undefined || !features.bindFd;
    return { at: path, args: byPath ? [bind, path, path] : [`${bind}-fd`, String(number), path] };
  });
}

/** How the system writes the path of a mount in /proc/self/mountinfo. */
export function asMountPoint(path: string): string {
  return path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function systemMounts(view: SandboxView): Mount[] {
  const mounts = systemDirectories(view.roots.map(({ path }) => path)).map((at): Mount => {
    const link = linkTarget(at);
    return { at, args: link === undefined ? ['--ro-bind', at, at] : ['--symlink', link, at] };
  });
  const show = (at: string, from = at) => mounts.push({ at, args: ['--ro-bind-try', from, at] });
  for (const name of ETC) show(`/etc/${name}`);
  if (view.network) for (const name of ETC_NETWORK) show(`/etc/${name}`);
  for (const name of ETC_MADE) show(`/etc/${name}`, join(view.etc, name));
  for (const { path, link, empty } of view.installations) {
    if (empty) mounts.push({ at: path, args: ['--dir', path] });
    else if (link === undefined) show(path);
    else mounts.push({ at: path, args: ['--symlink', link, path] });
  }
  return [...mounts, ...givenLinks(view, mounts)];
}

/** Links that lead to a root, unless they stand in what is shown anyway. */
function givenLinks({ roots }: SandboxView, mounts: readonly Mount[]): Mount[] {
  return roots.flatMap(({ given, path }): Mount[] => {
    if (given === undefined || given === path || mounts.some(({ at }) => isWithin(given, at))) return [];
    return [{ at: given, args: ['--symlink', path, given] }];
  });
}

function ownMounts(view: SandboxView, features: BubblewrapFeatures): Mount[] {
  const paths = view.roots.map(({ path }) => path);
  const { temporary, home } = sandboxPlaces(paths);
  const memory = (at: string, mebibytes: number): Mount => {
    const size = features.size ? ['--size', String(mebibytes * 1024 * 1024)] : [];
    return { at, args: [...size, '--tmpfs', at] };
  };
  const mounts: Mount[] = [
    { at: '/proc', args: ['--proc', '/proc'] },
    { at: '/dev', args: ['--dev', '/dev'] },
    memory('/dev/shm', SHARED_MEMORY_MIB),
  ];
  if (process.getuid?.() === 0) {
    for (const at of ROOTS_OWN.map((name) => `/proc/${name}`)) {
      mounts.push({ at, args: ['--ro-bind-try', at, at] });
    }
  }
  if (temporary !== home)
    mounts.push(memory(temporary, view.temporaryMiB), { at: home, args: ['--dir', home] });
  return mounts;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
