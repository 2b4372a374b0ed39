/** What Linux tells about running processes in /proc; elsewhere nothing is known and nothing is found. */

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** When it started, in ticks since the boot: with the pid it names one process for good. */
  start: number;
  name: string;
  zombie: boolean;
}

/** The smallest there is: where pages are larger, more is allowed. */
const PAGE_KIB = 4;

/** Large enough for any environment; one for all reads, since there may be thousands of processes. */
const buffer = Buffer.alloc(2 * 1024 * 1024);

function readProc(path: string): string {
  const fd = openSync(path, 'r');
  try {
    let length = 0;
    for (;;) {
      const read = readSync(fd, buffer, length, buffer.length - length, null);
      length += read;
      if (read === 0 || length === buffer.length) return buffer.toString('latin1', 0, length);
    }
  } finally {
    closeSync(fd);
  }
}

export function processFacts(pid: number): ProcessFacts | undefined {
  try {
    const text = readProc(`/proc/${pid}/stat`);
    // The name stands in brackets and may itself contain brackets and spaces.
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

/** The children of a process, from all of its threads; undefined when the system does not tell. */
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

/** Memory of a process that is its own, in KiB: what it shares with files and others by name does not count. */
export function ownMemoryKiB(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readProc(`/proc/${pid}/statm`).split(' ').map(Number);
    return Math.max(0, resident - shared) * PAGE_KIB;
  } catch {
    return 0;
  }
}

/** The same with pages that several processes have together counted in parts; dearer to find out. */
export function fairMemoryKiB(pid: number): number {
  try {
    const parts = /^Pss_Anon:\s*(\d+)/m.exec(readProc(`/proc/${pid}/smaps_rollup`));
    return parts ? Number(parts[1]) : ownMemoryKiB(pid);
  } catch {
    return ownMemoryKiB(pid);
  }
}

/** The environment that a process was started with; empty when it is not ours to read. */
export function startEnvironment(pid: number): string {
  try {
    return readProc(`/proc/${pid}/environ`);
  } catch {
    return '';
  }
}

/** Sends a signal to a process, or to a group for a negative number; what is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or not ours to end.
  }
}
