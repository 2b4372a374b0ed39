/** Chooses the file descriptors of a command: three streams, those that its sandbox needs, and no inherited ones. */

import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;
const HIGHEST = 1023;

let inherited: readonly number[] | undefined;
let devNull: number | undefined;

/**
 * Descriptors that the server inherited and that its children would inherit, too. A directory among them would be a way
 * out of any sandbox. The descriptors that Node opens close on exec.
 */
function inheritedDescriptors(): readonly number[] {
  inherited ??= listDescriptors().filter((fd) => fd > 2 && fd <= HIGHEST && staysOpen(fd));
  return inherited;
}

function listDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function staysOpen(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

export interface Descriptors {
  stdio: ('ignore' | 'pipe' | number)[];
  /** The number under which the command finds each of the wanted descriptors. */
  numbers: number[];
}

/** Empty input, two pipes for output, the wanted descriptors in free slots, and /dev/null over inherited ones. */
export function layOutDescriptors(wanted: readonly number[]): Descriptors {
  const stdio: Descriptors['stdio'] = ['ignore', 'pipe', 'pipe'];
  const covered = inheritedDescriptors();
  if (covered.length > 0) devNull ??= openSync('/dev/null', 'r');
  for (const fd of covered) {
    while (stdio.length < fd) stdio.push('ignore');
    stdio[fd] = devNull!;
  }
  const numbers = wanted.map((fd) => {
    const free = stdio.findIndex((slot, at) => at > 2 && slot === 'ignore');
    const number = free < 0 ? stdio.length : free;
    stdio[number] = fd;
    return number;
  });
  return { stdio, numbers };
}
