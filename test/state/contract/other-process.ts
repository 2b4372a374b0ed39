/** Another process that shares a state: argv is the state's address, a task, and the task's arguments. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { isDatabaseAddress } from '../../../src/state/postgres/connections/settings.ts';
import { Fleet } from '../../../src/state/postgres/open.ts';
import { type Numbered, numbered } from './numbered.ts';

const [address, task, ...args] = process.argv.slice(2) as [string, string, ...string[]];
const fleet = isDatabaseAddress(address) ? new Fleet(address) : undefined;
const state = fleet ? fleet.openState() : openDirectoryState(address);

const tasks: Record<string, () => Promise<void>> = {
  /** Appends numbered records of many lengths. */
  async append() {
    const [writer, count] = args as [string, string];
    const log = state.log<Numbered>('journal', numbered);
    for (let n = 0; n < Number(count); n++) log.append({ n, writer, text: 'x'.repeat(n % 9000) });
    await log.flush();
    log.close();
  },

  /** Puts the same contents as any other process with the same count. */
  async put() {
    for (let n = 0; n < Number(args[0]); n++) await state.contents.put(Buffer.from(`content ${n}`), false);
    await state.contents.settled();
    state.contents.close();
  },

  /** Adds to a number in a file, again and again, each time while it holds the locks. */
  async count() {
    const [file, times, ...keys] = args as [string, string, ...string[]];
    for (let n = 0; n < Number(times); n++) {
      await state.locks.hold(keys, async () => {
        const now = Number(readFileSync(file, 'utf8'));
        await new Promise((resolve) => setImmediate(resolve));
        writeFileSync(file, String(now + 1));
      });
    }
  },

  /** Holds a lock until standard input ends, and says when it has it. */
  async holdUntilKilled() {
    await state.locks.hold([args[0]!], () => {
      appendFileSync(args[1]!, 'held');
      return new Promise((resolve) => setTimeout(resolve, 600_000));
    });
  },
};

await tasks[task]!();
await fleet?.close();
