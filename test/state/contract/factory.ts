/** What a contract test needs from an implementation of the state. */
import { type ChildProcess, fork } from 'node:child_process';
import type { State } from '../../../src/state/state.ts';
import { bundle } from '../../built.ts';

export { until } from '../../until.ts';

/** An empty state, which `remove` deletes. */
export interface StateUnderTest {
  /** Opens the state as another process would: the new object shares nothing with earlier ones. */
  open(): State;
  /** The address to pass to `inOtherProcess`. */
  readonly address: string;
  /** Truncates the last record of a log, as a crash does; undefined where that cannot happen. */
  tearLast?(log: 'journal' | 'trace'): void;
  /** Makes everything in the store look old enough to be retired. */
  age(): Promise<void>;
  remove(): Promise<void> | void;
}

export type StateFactory = () => StateUnderTest;

/** A task for another process (see other-process.ts). */
export interface Task {
  address: string;
  task: string;
  args: string[];
}

/** Processes to reuse, because starting one costs more than most tasks. */
const idle: ChildProcess[] = [];

/** Lets another process do a task, and waits until it is done. */
export async function inOtherProcess(address: string, task: string, ...args: string[]): Promise<void> {
  const other = idle.pop() ?? (await otherProcess());
  await new Promise<void>((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${task}: the process ended with ${code}`));
    other.once('exit', ended);
    other.once('message', () => {
      other.off('exit', ended);
      resolve();
    });
    other.send({ address, task, args } satisfies Task);
  });
  idle.push(other);
}

/** Starts a task in another process without waiting for its end. */
export async function startInOtherProcess(
  address: string,
  task: string,
  ...args: string[]
): Promise<ChildProcess> {
  const other = idle.pop() ?? (await otherProcess());
  other.send({ address, task, args } satisfies Task);
  return other;
}

async function otherProcess(): Promise<ChildProcess> {
  return fork(await bundle('test/state/contract/other-process.ts', 'other-process.mjs'), { execArgv: [] });
}

/** To be called after the last test that used other processes. */
export async function endOtherProcesses(): Promise<void> {
  await Promise.all(
    idle.splice(0).map(async (other) => {
      const ended = new Promise((resolve) => other.once('exit', resolve));
      other.kill('SIGKILL');
      await ended;
    }),
  );
}
