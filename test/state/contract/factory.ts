/** What a contract test needs of an implementation of the state. */
import { type ChildProcess, fork } from 'node:child_process';
import type { State } from '../../../src/state/state.ts';
import { bundle } from '../../built.ts';

export { until } from '../../until.ts';

/** One state with nothing in it, gone after `remove`. */
export interface StateUnderTest {
  /** Anew, as another process would: what one object knows, the other must find out. */
  open(): State;
  /** For `inOtherProcess`. */
  readonly address: string;
  /** Cuts the last record of a log short, as a crash does; undefined where that cannot happen. */
  tearLast?(log: 'journal' | 'trace'): void;
  /** Makes everything in the store look old enough to be retired. */
  age(): Promise<void>;
  remove(): Promise<void> | void;
}

export type StateFactory = () => StateUnderTest;

/** What another process does: see other-process.ts. */
export interface Task {
  address: string;
  task: string;
  args: string[];
}

/** Those that have nothing to do: to start one costs more than most tasks. */
const idle: ChildProcess[] = [];

/** Has another process do a task to its end. */
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

/** One that begins a task and is not waited for. */
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

/** After the last test that has used them. */
export async function endOtherProcesses(): Promise<void> {
  await Promise.all(
    idle.splice(0).map(async (other) => {
      const ended = new Promise((resolve) => other.once('exit', resolve));
      other.kill('SIGKILL');
      await ended;
    }),
  );
}
