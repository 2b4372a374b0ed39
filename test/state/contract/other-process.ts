/** The program of another process that shares a state: it does tasks one after another (see factory.ts). */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { isDatabaseAddress } from '../../../src/state/postgres/connections/settings.ts';
import { Fleet } from '../../../src/state/postgres/open.ts';
import type { State } from '../../../src/state/state.ts';
import type { Task } from './factory.ts';
import { type Numbered, numbered, textOf } from './numbered.ts';

const tasks: Record<string, (state: State, args: string[]) => Promise<void>> = {
  /** Appends numbered records of many lengths. */
  async append(state, args) {
    const [writer, count] = args as [string, string];
    const log = state.log<Numbered>('journal', numbered);
    for (let n = 0; n < Number(count); n++) log.append({ n, writer, text: textOf(n) });
    await log.flush();
    log.close();
  },

  /** Puts the same contents as any other process with the same count. */
  async put({ contents }, [count]) {
    for (let n = 0; n < Number(count); n++) await contents.put(Buffer.from(`content ${n}`), false);
    await contents.settled();
    contents.close();
  },

  /** Increments a number in a file many times, each time while holding the locks. */
  async count({ locks }, args) {
    const [file, times, ...keys] = args as [string, string, ...string[]];
    for (let n = 0; n < Number(times); n++) {
      await locks.hold(keys, async () => {
        const now = Number(readFileSync(file, 'utf8'));
        await new Promise((resolve) => setImmediate(resolve));
        writeFileSync(file, String(now + 1));
      });
    }
  },

  /** Holds a lock until the process is killed, and writes to a file once it holds the lock. */
  async holdUntilKilled({ locks }, args) {
    const [key, file] = args as [string, string];
    await locks.hold([key], () => {
      appendFileSync(file, 'held');
      return new Promise((resolve) => setTimeout(resolve, 600_000));
    });
  },
};

process.on('message', async ({ address, task, args }: Task) => {
  const fleet = isDatabaseAddress(address) ? new Fleet(address) : undefined;
  const state = fleet ? fleet.openState() : openDirectoryState(address);
  await tasks[task]!(state, args);
  await state.close();
  await fleet?.close();
  process.send!('done');
});
process.once('disconnect', () => process.exit());
