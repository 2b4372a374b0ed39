/** Finds running processes by a word on their command line: to show that nothing survived. */

import { readdirSync, readFileSync } from 'node:fs';
import { BETWEEN_LOOKS_AT_PROCESSES_MS, settled, until } from '../../until.ts';

export function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const running = !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
        return running && readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits until the processes are gone, and returns those that are still there. */
export function survivors(word: string): Promise<number[]> {
  return settled(
    () => processesWith(word),
    ({ length }) => length === 0,
    BETWEEN_LOOKS_AT_PROCESSES_MS,
  );
}

export function waitForProcess(word: string, count = 1): Promise<void> {
  return until(() => processesWith(word).length >= count, BETWEEN_LOOKS_AT_PROCESSES_MS);
}

let counter = 0;

/** A number of seconds that no other process sleeps for. */
export function uniqueSeconds(): string {
  counter++;
  return `9${process.pid}.${Date.now() % 1_000_000}${counter}`;
}
