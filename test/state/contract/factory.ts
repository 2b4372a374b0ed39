/** What a contract test needs of an implementation of the state. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { State } from '../../../src/state/state.ts';
import { bundle } from '../../built.ts';

export { until } from '../../until.ts';

/** One state with nothing in it, gone after `remove`. */
export interface StateUnderTest {
  /** Anew, as another process would: what one object knows, the other must find out. */
  open(): State;
  /** For `open` of another process: see other-process.ts. */
  readonly address: string;
  /** Cuts the last record of a log short, as a crash does; undefined where that cannot happen. */
  tearLast?(log: 'journal' | 'trace'): void;
  /** Makes everything in the store look old enough to be retired. */
  age(): Promise<void>;
  remove(): Promise<void> | void;
}

export type StateFactory = () => StateUnderTest;

const run = promisify(execFile);

/** Runs one of the tasks of other-process.ts to its end, and gives what it printed. */
export async function inOtherProcess(address: string, task: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [await otherProcess(), address, task, ...args]);
  return stdout;
}

/** The program of other-process.ts. */
export function otherProcess(): Promise<string> {
  return bundle('test/state/contract/other-process.ts', 'other-process.mjs');
}
