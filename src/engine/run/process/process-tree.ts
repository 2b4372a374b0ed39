/**
 * All processes of one run: its process group, its descendants, and those that left both.
 *
 * A command that calls setsid or forks twice leaves its group and its parent. It is found again because it
 * was seen while it still had its parent, or because it carries the run's mark in its environment.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessFacts } from './proc.ts';
import {
  allPids,
  childrenOf,
  fairMemoryKiB,
  ownMemoryKiB,
  processFacts,
  signalProcess,
  startEnvironment,
} from './proc.ts';

const ROUNDS = 5;
const KERNEL_THREADS = 2;

interface Look {
  members: ProcessFacts[];
  /** Something changed while we looked, so that a process may have slipped through. */
  unsettled: boolean;
}

export class Family {
  readonly leader: number;
  readonly #mark: string;
  readonly #sandboxed: boolean;
  readonly #leaderStart: number;
  /** Every descendant that was ever seen: pid → start. */
  readonly #seen = new Map<number, number>();
  /** Processes that were found dying or without an environment: once more is no news. */
  readonly #odd = new Set<number>();

  constructor(leader: number, mark: string, sandboxed: boolean) {
    this.leader = leader;
    this.#mark = mark;
    this.#sandboxed = sandboxed;
    this.#leaderStart = processFacts(leader)?.start ?? 0;
    this.#seen.set(leader, this.#leaderStart);
  }

  /** Takes note of the descendants that there are now, and returns how many of them live. */
  observe(): number {
    const queue = [...this.#seen.keys()];
    const looked = new Set<number>();
    let alive = 0;
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      if (looked.has(pid)) continue;
      looked.add(pid);
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

  /** Memory of all who were seen, in MiB. Looked at closely only when it seems to be more than `limit`. */
  memoryMiB(limit: number): number {
    const pids = [...this.#seen.keys()];
    const sum = (memoryOf: (pid: number) => number) =>
      pids.reduce((total, pid) => total + memoryOf(pid), 0) / 1024;
    const roughly = sum(ownMemoryKiB);
    return roughly > limit ? sum(fairMemoryKiB) : roughly;
  }

  /** Everybody who lives now, found in every way there is. */
  members(): ProcessFacts[] {
    return this.#look().members;
  }

  /** Asks everybody to end. The sandbox itself is spared: its end would be the end of all, at once. */
  terminate(): void {
    if (!this.#sandboxed) signalProcess(-this.leader, 'SIGTERM');
    for (const { pid, group, name } of this.members()) {
      const told = !this.#sandboxed && group === this.leader;
      if (!told && !(this.#sandboxed && name === 'bwrap')) signalProcess(pid, 'SIGTERM');
    }
  }

  /** Ends everybody at once, again and again because a process may fork while it is being looked for. */
  kill(): void {
    signalProcess(-this.leader, 'SIGKILL');
    for (let round = 0; round < ROUNDS; round++) {
      if (!this.#killSeen().unsettled) return;
    }
  }

  /** The same when there is time to wait for what was just changing. */
  async killAndMakeSure(): Promise<void> {
    signalProcess(-this.leader, 'SIGKILL');
    for (let round = 0; round < ROUNDS; round++) {
      if (!this.#killSeen().unsettled) return;
      await delay(2);
    }
  }

  #killSeen(): Look {
    const look = this.#look();
    for (const { pid } of look.members) signalProcess(pid, 'SIGKILL');
    return look.members.length > 0 ? { ...look, unsettled: true } : look;
  }

  #look(): Look {
    const younger: ProcessFacts[] = [];
    let unsettled = false;
    for (const pid of allPids()) {
      const facts = pid === process.pid ? undefined : processFacts(pid);
      // It may have left a child that is not in the list yet.
      if (!facts) unsettled ||= pid > this.leader && pid !== process.pid;
      else if (facts.start >= this.#leaderStart && facts.parent !== KERNEL_THREADS) younger.push(facts);
    }
    const found = new Map<number, ProcessFacts>();
    for (const one of younger) {
      const belongs = this.#belongs(one);
      if (belongs === 'unknown') unsettled ||= !this.#odd.has(one.pid);
      if (belongs === 'unknown') this.#odd.add(one.pid);
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
    // It is empty for a moment when a process becomes another program.
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
