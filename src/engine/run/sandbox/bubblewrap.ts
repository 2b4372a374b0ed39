/** Writes the arguments with which bubblewrap shows a command the system's programs and the roots, and nothing else. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { targetOf } from '../../confine/probe-path.ts';
import { isBelow, isWithin } from '../../confine/roots.ts';
import type { SandboxPlace } from './held-places.ts';
import type { VisiblePath } from './installations.ts';
import type { MaskedPlace } from './withheld-places.ts';

export interface BubblewrapFeatures {
  bindFd: boolean;
  disableUserns: boolean;
  size: boolean;
  /** Whether bubblewrap takes a filter for system calls, and there is one for this kind of processor. */
  seccomp: boolean;
}

export interface SandboxRoot extends SandboxPlace {
  /** The path by which the user named the root, if it is a different one: a link there leads to the root. */
  given?: string;
}

/** A place in a root that is mounted onto itself, so that no command can move it. */
export interface FixedPlace {
  path: string;
  writable: boolean;
  /** The number of its descriptor in the child. Undefined: it is mounted by its path. */
  number: number | undefined;
}

export interface SandboxView {
  roots: readonly SandboxRoot[];
  /** The number of each root's descriptor in the child, in the same order. Undefined: it is mounted by its path. */
  numbers: readonly (number | undefined)[];
  /** Places inside roots that must stay where they are. Some are read-only inside a writable root. */
  fixed: readonly FixedPlace[];
  /** Sockets and FIFOs in roots. Commands find a device there that they cannot open. */
  masked: readonly string[];
  /** The files and directories that the owner denies or hides. Commands find them empty and cannot move them. */
  withheld: readonly MaskedPlace[];
  /** An empty directory, which masks others. */
  empty: string;
  /** The number of the descriptor from which bubblewrap reads the filter for system calls. Undefined: no filter. */
  filter: number | undefined;
  cwd: string;
  network: boolean;
  /** What programs need to see that are installed outside the system's directories. */
  installations: readonly VisiblePath[];
  /** The directory with the files that replace those of /etc. */
  etc: string;
  temporaryMiB: number;
}

interface Mount {
  at: string;
  args: string[];
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Directories of which commands see only some parts when a root is inside. */
const DIVISIBLE = ['/usr', '/usr/local'];
const PARTS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include', 'local'];
/** Where Debian keeps links from a command's name to one of several programs. */
export const ALTERNATIVES = '/etc/alternatives';
/** Files of /etc that the loader, the alternatives and the time zone need. */
const ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime'];
/** Files of /etc for which commands see the server's own versions. */
const ETC_REPLACED = ['passwd', 'group', 'hosts'];
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
const KEYS = '/proc/keys';
/** Entries of /proc that the user root, as their owner, may write to in any namespace and without capabilities. */
const WRITABLE_BY_ROOT = ['acpi', 'asound', 'fs', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'];

/** The directories of the system's programs. One that holds a root is split, so that nothing beside the root shows. */
export function systemDirectories(roots: readonly string[]): string[] {
  const without = (directory: string): string[] => {
    const holdsRoot = roots.some((root) => isBelow(root, directory));
    if (!holdsRoot || !DIVISIBLE.includes(directory)) return [directory];
    return PARTS.map((part) => join(directory, part)).flatMap(without);
  };
  return SYSTEM.flatMap(without).filter((directory) => existsSync(directory));
}

export function bubblewrapArgs(view: SandboxView, features: BubblewrapFeatures): string[] {
  const roots = view.roots.map(({ path }) => path);
  const mounts = [
    // If two mounts have the same path, the first one counts.
    ...withheldMounts(view),
    ...rootMounts(view, features),
    ...maskMounts(view),
    ...ownMounts(view, features),
  ];
  // A path inside a root is already visible, and bubblewrap would create mount points in the root itself.
  for (const mount of systemMounts(view)) {
    if (!roots.some((root) => isWithin(mount.at, root))) mounts.push(mount);
  }
  // A mount comes after that of its parent directory.
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

/** The home directory of a sandboxed command, and its directory for temporary files. */
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

function maskMounts({ masked }: SandboxView): Mount[] {
  return masked.map((at) => ({ at, args: ['--ro-bind', '/dev/null', at] }));
}

function withheldMounts({ withheld, empty }: SandboxView): Mount[] {
  return withheld.map(({ path: at, isDirectory }) => ({
    at,
    args: ['--ro-bind', isDirectory ? empty : '/dev/null', at],
  }));
}

function systemMounts(view: SandboxView): Mount[] {
  const mounts = systemDirectories(view.roots.map(({ path }) => path)).map((at): Mount => {
    const link = targetOf(at);
    return { at, args: link === undefined ? ['--ro-bind', at, at] : ['--symlink', link, at] };
  });
  const bind = (at: string, from = at) => mounts.push({ at, args: ['--ro-bind-try', from, at] });
  for (const name of ETC) bind(`/etc/${name}`);
  if (view.network) for (const name of ETC_NETWORK) bind(`/etc/${name}`);
  for (const name of ETC_REPLACED) bind(`/etc/${name}`, join(view.etc, name));
  for (const { path, link, empty } of view.installations) {
    if (empty) mounts.push({ at: path, args: ['--dir', path] });
    else if (link === undefined) bind(path);
    else mounts.push({ at: path, args: ['--symlink', link, path] });
  }
  return [...mounts, ...givenLinks(view, mounts)];
}

/** The links by which users named roots, unless they are in a directory that commands see anyway. */
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
  // The kernel lists the names of the user's keys in this file.
  if (existsSync(KEYS)) mounts.push({ at: KEYS, args: ['--ro-bind', '/dev/null', KEYS] });
  if (process.getuid?.() === 0) {
    for (const at of WRITABLE_BY_ROOT.map((name) => `/proc/${name}`)) {
      mounts.push({ at, args: ['--ro-bind-try', at, at] });
    }
  }
  if (temporary !== home)
    mounts.push(memory(temporary, view.temporaryMiB), { at: home, args: ['--dir', home] });
  return mounts;
}
