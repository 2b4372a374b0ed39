/** Lists running processes, to show that something runs, or that nothing was left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { BETWEEN_LOOKS_AT_PROCESSES_MS, settled, until } from './until.ts';

export interface Seen {
  pid: number;
  parent: number;
  argv: readonly string[];
  /** The same, separated by spaces. */
  words: string;
}

function everybody(): Seen[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z' || state === 'X') return [];
        const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
        return [{ pid: Number(name), parent: Number(parent), argv, words: argv.join(' ').trim() }];
      } catch {
        return [];
      }
    });
}

/** All descendants of a process. */
export function descendantsOf(pid: number): Seen[] {
  const all = everybody();
  const found = all.filter((one) => one.parent === pid);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found;
}

let counter = 0;

/** A number of seconds that no other process sleeps for, so that a sleeper can be found by it anywhere. */
export function uniqueSeconds(): string {
  counter++;
  return `8${process.pid}.${counter}${Date.now() % 1_000_000}`;
}

/** The processes with exactly this word on their command line: a sleeper, but not the shell whose script names it. */
export function processesWith(word: string): Seen[] {
  return everybody().filter(({ argv }) => argv.includes(word));
}

export function waitForProcess(word: string, count = 1): Promise<void> {
  return until(() => processesWith(word).length >= count, BETWEEN_LOOKS_AT_PROCESSES_MS);
}

/** Waits until that many processes sleep for exactly that long, and returns how many do. */
export function waitForSleepers(seconds: string, count: number): Promise<number> {
  const sleeping = () => everybody().filter(({ words }) => words === `sleep ${seconds}`).length;
  return settled(sleeping, (number) => number >= count, BETWEEN_LOOKS_AT_PROCESSES_MS);
}

/** Waits until no command line contains the word, and returns the processes that are left. */
export function leftovers(word: string): Promise<Seen[]> {
  return settled(
    () => everybody().filter(({ words }) => words.includes(word)),
    ({ length }) => length === 0,
    BETWEEN_LOOKS_AT_PROCESSES_MS,
  );
}
