/** What Linux says about running processes in /proc. On other systems these functions find nothing. */

import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';

export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** When it started, in ticks since the boot. Pid and start together identify a process even if the pid is reused. */
  start: number;
  name: string;
  zombie: boolean;
}

/** The buffer of all reads, since there may be thousands of processes. It grows to hold the longest environment. */
let shared = Buffer.allocUnsafe(4096);
const MOST_BYTES = 2 * 1024 * 1024;

function readProc(path: string): string {
  const fd = openSync(path, 'r');
  try {
    let length = 0;
    for (;;) {
      const read = readSync(fd, shared, length, shared.length - length, null);
      length += read;
      if (read === 0 || length === MOST_BYTES) return shared.toString('latin1', 0, length);
      if (length === shared.length) shared = Buffer.concat([shared], 2 * length);
    }
  } finally {
    closeSync(fd);
  }
}

export function processFacts(pid: number): ProcessFacts | undefined {
  try {
    const text = readProc(`/proc/${pid}/stat`);
    // The name is in brackets and may itself contain brackets and spaces.
    const close = text.lastIndexOf(')');
    const fields = text.slice(close + 2).split(' ');
    return {
      pid,
      name: text.slice(text.indexOf('(') + 1, close),
      zombie: fields[0] === 'Z' || fields[0] === 'X',
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      start: Number(fields[19]),
    };
  } catch {
    return undefined;
  }
}

export function allPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return [];
  }
}

/** The children of all threads of a process. Undefined when the system does not list them. */
export function childrenOf(pid: number): number[] | undefined {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  const children: number[] = [];
  for (const thread of threads) {
    try {
      const text = readProc(`/proc/${pid}/task/${thread}/children`);
      children.push(...text.split(' ').filter(Boolean).map(Number));
    } catch {
      if (processFacts(pid)) return undefined;
    }
  }
  return children;
}

/** The memory of a process, in KiB, without the files that it maps. Pages that it shares count in full. */
export function memoryKiB(pid: number): number {
  const status = `/proc/${pid}/status`;
  // Not every kernel counts the kinds of memory separately.
  return (
    sumOfFields(status, /^Rss(?:Anon|Shmem):\s*(\d+)/gm) ?? sumOfFields(status, /^VmRSS:\s*(\d+)/gm) ?? 0
  );
}

/** The memory of a process with each shared page divided among those that share it. Slower than `memoryKiB`. */
export function proportionalMemoryKiB(pid: number): { own: number; shared: number } {
  const rollup = `/proc/${pid}/smaps_rollup`;
  const own = sumOfFields(rollup, /^Pss_Anon:\s*(\d+)/gm);
  if (own === undefined) return { own: memoryKiB(pid), shared: 0 };
  return { own, shared: sumOfFields(rollup, /^Pss_Shmem:\s*(\d+)/gm) ?? 0 };
}

/** The shared memory of the whole system, in KiB, including what no process has in its page tables. */
export function systemSharedMemoryKiB(): number {
  return sumOfFields('/proc/meminfo', /^Shmem:\s*(\d+)/gm) ?? 0;
}

/** A line of /proc/PID/maps about shared memory that has no file: from, to, inode. */
const SHARED_MAPPING =
  /^([0-9a-f]+)-([0-9a-f]+) ..[x-]s \S+ \S+ (\d+) +\/(?:dev\/zero|memfd:.*|SYSV\S*) \(deleted\)$/gm;

/**
 * An upper bound of the shared memory of these processes, in KiB: what they map, and their open files in memory. The
 * kernel stops counting it as theirs when they write it without a mapping, or take it out of their page tables.
 */
export function reachableSharedMemoryKiB(pids: readonly number[]): number {
  const sizes = new Map<string, number>();
  const atLeast = (inode: string, bytes: number) => sizes.set(inode, Math.max(bytes, sizes.get(inode) ?? 0));
  for (const pid of pids) {
    const mapped = new Map<string, number>();
    for (const [, from, to, inode] of textOf(`/proc/${pid}/maps`).matchAll(SHARED_MAPPING)) {
      const bytes = Number.parseInt(to!, 16) - Number.parseInt(from!, 16);
      mapped.set(inode!, bytes + (mapped.get(inode!) ?? 0));
    }
    for (const [inode, bytes] of mapped) atLeast(inode, bytes);
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      try {
        const path = `/proc/${pid}/fd/${fd}`;
        if (!readlinkSync(path).startsWith('/memfd:')) continue;
        const { ino, blocks } = statSync(path);
        atLeast(String(ino), blocks * 512);
      } catch {
        // The process has closed it.
      }
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) / 1024;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The text of a file. Empty when it cannot be read. */
function textOf(path: string): string {
  try {
    return readProc(path);
  } catch {
    return '';
  }
}

/** The sum of all values of a field. Undefined when the file cannot be read or has no such field. */
function sumOfFields(path: string, field: RegExp): number | undefined {
  try {
    const values = [...readProc(path).matchAll(field)].map(([, value]) => Number(value));
    return values.length > 0 ? values.reduce((sum, value) => sum + value) : undefined;
  } catch {
    return undefined;
  }
}

/** The environment that a process was started with. Empty when this process may not read it. */
export function startEnvironment(pid: number): string {
  return textOf(`/proc/${pid}/environ`);
}

/** Sends a signal to a process, or to a process group for a negative number. A process that has ended is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to another user.
  }
}
