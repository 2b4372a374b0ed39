/** The arguments with which bubblewrap lets a command see the system's programs, the roots and nothing else. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../confine/roots.ts';
import type { SandboxPlace } from './held-places.ts';
import { linkTarget, type VisiblePath } from './installations.ts';
import type { MaskedPlace } from './withheld-places.ts';

export interface BubblewrapFeatures {
  bindFd: boolean;
  disableUserns: boolean;
  size: boolean;
  /** Whether bubblewrap takes a filter for system calls, and one is known for this kind of processor. */
  seccomp: boolean;
}

export interface SandboxRoot extends SandboxPlace {
  /** The path by which the user named the root, when that is another one: a link there leads to the root. */
  given?: string;
}

/** A place in a root that is mounted on itself, so that no command can move it. */
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
  /** Places inside roots that must stay where they are; some are read-only in a writable root. */
  fixed: readonly FixedPlace[];
  /** Sockets and FIFOs in roots, for which commands find a device that they cannot open. */
  masked: readonly string[];
  /** What the owner of the server denies or hides: commands find nothing in it and cannot move it. */
  withheld: readonly MaskedPlace[];
  /** An empty directory, to mask directories with. */
  empty: string;
  /** The number of the descriptor from which bubblewrap reads the filter for system calls; undefined for none. */
  filter: number | undefined;
  cwd: string;
  network: boolean;
  /** What programs need that live outside of the system's directories. */
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
/** Directories that commands can see in parts, when a root lies in one of them. */
const DIVISIBLE = ['/usr', '/usr/local'];
const PARTS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include', 'local'];
/** Where Debian keeps links from a command's name to one of several programs. */
export const ALTERNATIVES = '/etc/alternatives';
/** What the loader and the alternatives need, and the time zone. */
const ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime'];
/** Files of /etc with which the server replaces the system's own. */
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
/** In /proc, what the user root may write to as its owner, whatever its namespace and capabilities. */
const WRITABLE_BY_ROOT = ['acpi', 'asound', 'fs', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'];

/** The system's directories of programs, without those parts that could lie beside a root. */
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
  const mounts = [
    // Of two mounts at one path the first counts.
    ...withheldMounts(view),
    ...rootMounts(view, features),
    ...maskMounts(view),
    ...ownMounts(view, features),
  ];
  // A path inside a root is visible already, and bubblewrap would create mount points in the root itself.
  for (const mount of systemMounts(view)) {
    if (!roots.some((root) => isWithin(mount.at, root))) mounts.push(mount);
  }
  // A mount comes after that of its parent directory; a root wins over another mount at its path.
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
    const link = linkTarget(at);
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

/** Links that lead to a root, unless they lie in a directory that commands see anyway. */
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
  // The kernel lists the names of the user's keys there.
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
