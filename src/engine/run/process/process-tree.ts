/**
 * All processes of one run: its process group, its descendants, and those that left both.
 *
 * A process that calls setsid or forks twice leaves its group and its parent. The tree still finds it: an earlier scan
 * saw it below its parent, or it has the run's mark in its environment.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessFacts } from './proc.ts';
import {
  allPids,
  childrenOf,
  memoryKiB,
  processFacts,
  proportionalMemoryKiB,
  reachableSharedMemoryKiB,
  signalProcess,
  startEnvironment,
  systemSharedMemoryKiB,
} from './proc.ts';

const KILL_ROUNDS = 5;
const KERNEL_THREADS_PARENT = 2;

interface ProcessScan {
  members: ProcessFacts[];
  /** Whether processes started or ended during the scan, so that it may have missed one. */
  unsettled: boolean;
}

export class ProcessTree {
  readonly leader: number;
  readonly #mark: string;
  readonly #sandboxed: boolean;
  readonly #leaderStart: number;
  readonly #sharedAtStart = systemSharedMemoryKiB();
  /** Every descendant that any scan found, by pid, with its start time. */
  readonly #seen = new Map<number, number>();
  /** Processes that a scan found dying or without an environment. They do not make the next scan unsettled again. */
  readonly #unclear = new Set<number>();

  constructor(leader: number, mark: string, sandboxed: boolean) {
    this.leader = leader;
    this.#mark = mark;
    this.#sandboxed = sandboxed;
    this.#leaderStart = processFacts(leader)?.start ?? 0;
    this.#seen.set(leader, this.#leaderStart);
  }

  /** Records the descendants that exist now, and returns how many of them are alive. */
  observe(): number {
    const queue = [...this.#seen.keys()];
    const visited = new Set<number>();
    let alive = 0;
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      if (visited.has(pid)) continue;
      visited.add(pid);
      const facts = processFacts(pid);
      if (!facts || (this.#seen.has(pid) && this.#seen.get(pid) !== facts.start)) {
        if (pid !== this.leader) this.#seen.delete(pid);
        continue;
      }
      this.#seen.set(pid, facts.start);
      if (!facts.zombie) alive++;
      const children = childrenOf(pid);
      if (!children) return this.members().length;
      queue.push(...children);
    }
    return alive;
  }

  /**
   * The memory of all recorded processes, in MiB. It is counted exactly only when an estimate is above `limit`.
   * `growth`: how much the shared memory of the whole system has grown since the start of this run, in KiB.
   */
  memoryMiB(limit: number, growth: number = systemSharedMemoryKiB() - this.#sharedAtStart): number {
    const pids = [...this.#seen.keys()];
    const estimate = pids.reduce((total, pid) => total + memoryKiB(pid), 0);
    if ((estimate + Math.max(0, growth)) / 1024 <= limit) return estimate / 1024;
    let [own, shared] = [0, 0];
    for (const pid of pids) {
      const memory = proportionalMemoryKiB(pid);
      own += memory.own;
      shared += memory.shared;
    }
    return (own + Math.max(shared, Math.min(growth, reachableSharedMemoryKiB(pids)))) / 1024;
  }

  /** Every process of the run that is alive now. */
  members(): ProcessFacts[] {
    return this.#scan().members;
  }

  /** Sends SIGTERM to every process except bubblewrap, whose end would kill all the others at once. */
  terminate(): void {
    if (!this.#sandboxed) signalProcess(-this.leader, 'SIGTERM');
    for (const { pid, group, name } of this.members()) {
      const signalled = !this.#sandboxed && group === this.leader;
      if (!signalled && !(this.#sandboxed && name === 'bwrap')) signalProcess(pid, 'SIGTERM');
    }
  }

  /** Sends SIGKILL to every process, in several rounds because a process may fork during a scan. */
  kill(): void {
    signalProcess(-this.leader, 'SIGKILL');
    for (let round = 0; round < KILL_ROUNDS; round++) {
      if (!this.#killMembers().unsettled) return;
    }
  }

  /** Does the same with a pause between rounds, so that processes that are starting or ending settle. */
  async killAndConfirm(): Promise<void> {
    signalProcess(-this.leader, 'SIGKILL');
    for (let round = 0; round < KILL_ROUNDS; round++) {
      if (!this.#killMembers().unsettled) return;
      await delay(2);
    }
  }

  #killMembers(): ProcessScan {
    const scan = this.#scan();
    for (const { pid } of scan.members) signalProcess(pid, 'SIGKILL');
    return scan.members.length > 0 ? { ...scan, unsettled: true } : scan;
  }

  #scan(): ProcessScan {
    const younger: ProcessFacts[] = [];
    let unsettled = false;
    for (const pid of allPids()) {
      const facts = pid === process.pid ? undefined : processFacts(pid);
      // The process ended during the scan, and may have left a child that is not on the list.
      if (!facts) unsettled ||= pid > this.leader && pid !== process.pid;
      else if (facts.start >= this.#leaderStart && facts.parent !== KERNEL_THREADS_PARENT)
        younger.push(facts);
    }
    const found = new Map<number, ProcessFacts>();
    for (const one of younger) {
      const belongs = this.#belongs(one);
      if (belongs === 'unknown') unsettled ||= !this.#unclear.has(one.pid);
      if (belongs === 'unknown') this.#unclear.add(one.pid);
      if (belongs === true) found.set(one.pid, one);
    }
    addDescendants(found, younger);
    for (const { pid, start } of found.values()) this.#seen.set(pid, start);
    return { members: [...found.values()], unsettled };
  }

  #belongs(one: ProcessFacts): boolean | 'unknown' {
    if (one.zombie) return 'unknown';
    if (one.group === this.leader || one.session === this.leader) return true;
    if (this.#seen.get(one.pid) === one.start) return true;
    const environment = startEnvironment(one.pid);
    // The environment is empty for a moment while a process executes another program.
    return environment === '' ? 'unknown' : environment.includes(this.#mark);
  }
}

function addDescendants(found: Map<number, ProcessFacts>, all: readonly ProcessFacts[]): void {
  for (let grown = found.size > 0; grown; ) {
    grown = false;
    for (const one of all) {
      if (one.zombie || found.has(one.pid) || !found.has(one.parent)) continue;
      found.set(one.pid, one);
      grown = true;
    }
  }
}
