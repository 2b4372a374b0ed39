/**
 * All processes of one run: its process group, its descendants, and those that left both.
 *
 * A command that calls setsid or forks twice leaves its group and its parent. It is found again because it
 * was seen while it still had its parent, or because it carries the run's mark in its environment.
 */

import type { ProcessFacts } from './processes.ts';
import { allProcesses, childrenOf, environmentHolds, processFacts, signalProcess } from './processes.ts';

export class Family {
  readonly leader: number;
  readonly #mark: string;
  readonly #sandboxed: boolean;
  readonly #leaderStart: number;
  /** Every descendant that was ever seen: pid → start. */
  readonly #seen = new Map<number, number>();

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

  /** Everybody who lives now, found in every way there is. */
  members(): ProcessFacts[] {
    const all = allProcesses().filter((one) => one.pid !== process.pid && !one.zombie);
    const found = new Map<number, ProcessFacts>();
    for (const one of all) if (this.#belongs(one)) found.set(one.pid, one);
    for (let grown = true; grown; ) {
      grown = false;
      for (const one of all) {
        if (found.has(one.pid) || !found.has(one.parent)) continue;
        found.set(one.pid, one);
        grown = true;
      }
    }
    for (const { pid, start } of found.values()) this.#seen.set(pid, start);
    return [...found.values()];
  }

  #belongs(one: ProcessFacts): boolean {
    if (one.start < this.#leaderStart) return false;
    if (one.group === this.leader || one.session === this.leader) return true;
    if (this.#seen.get(one.pid) === one.start) return true;
    return environmentHolds(one.pid, this.#mark);
  }

  /** Asks everybody to end. The sandbox itself is spared: its end would be the end of all, at once. */
  terminate(): void {
    if (!this.#sandboxed) signalProcess(-this.leader, 'SIGTERM');
    for (const { pid, group, name } of this.members()) {
      const told = !this.#sandboxed && group === this.leader;
      if (!told && !(this.#sandboxed && name === 'bwrap')) signalProcess(pid, 'SIGTERM');
    }
  }

  /** Ends everybody. Twice, because a process may fork while it is being looked for. */
  kill(): void {
    signalProcess(-this.leader, 'SIGKILL');
    for (let round = 0; round < 2; round++) {
      const members = this.members();
      for (const { pid } of members) signalProcess(pid, 'SIGKILL');
      if (members.length === 0) return;
    }
  }
}
