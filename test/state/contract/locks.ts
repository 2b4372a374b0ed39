/** What all locks guarantee (see src/state/locks.ts). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../tree.ts';
import {
  inOtherProcess,
  type StateFactory,
  type StateUnderTest,
  startInOtherProcess,
  until,
} from './factory.ts';

export function locksContract(create: StateFactory): void {
  describe('locks', () => {
    let under: StateUnderTest;
    let scratch: { path: string; remove(): void };
    /** Keys that no other test uses. */
    let key: (name: string) => string;
    beforeEach(() => {
      under = create();
      scratch = temporaryDirectory();
      key = (name) => `${scratch.path} ${name}`;
    });
    afterEach(async () => {
      scratch.remove();
      await under.remove();
    });

    test('let one task at a time hold a key, in the order of the requests', async () => {
      const { locks } = under.open();
      const steps: string[] = [];
      const task = (name: string) => async () => {
        steps.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`${name} ends`);
        return name;
      };
      const results = ['a', 'b', 'c'].map((name) => locks.hold([key('one')], task(name)));
      expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
      expect(steps).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    });

    test('let tasks with different keys run at the same time', async () => {
      const { locks } = under.open();
      let release: (() => void) | undefined;
      const held = locks.hold([key('one')], () => new Promise<void>((resolve) => (release = resolve)));
      await locks.hold([key('two')], async () => {});
      await until(() => release !== undefined);
      release!();
      await held;
    });

    test('are released when a task fails, and pass on its error', async () => {
      const { locks } = under.open();
      const failing = locks.hold([key('one')], () => Promise.reject(new Error('its own')));
      await expect(failing).rejects.toThrow('its own');
      expect(await locks.hold([key('one')], async () => 'free')).toBe('free');
    });

    test('exclude processes that change the same thing, whatever the order of the keys', async () => {
      const file = join(scratch.path, 'counter');
      writeFileSync(file, '0');
      const keys = ['a', 'b', 'c'].map((name) => key(name));
      const orders = [keys, keys.toReversed(), [keys[1]!, keys[0]!, keys[2]!, keys[1]!]];
      await Promise.all(orders.map((order) => inOtherProcess(under.address, 'count', file, '60', ...order)));
      expect(readFileSync(file, 'utf8')).toBe('180');
    });

    test('exclude tasks that hold many keys from tasks that hold a few of them', async () => {
      const file = join(scratch.path, 'counter');
      writeFileSync(file, '0');
      const keys = Array.from({ length: 60 }, (_, i) => key(String(i)));
      // Any two share a key, and no two orders are the same.
      const orders = [keys, keys.slice(20).reverse(), [keys[59]!, keys[40]!], [keys[40]!]];
      await Promise.all(orders.map((order) => inOtherProcess(under.address, 'count', file, '20', ...order)));
      expect(readFileSync(file, 'utf8')).toBe('80');
    });

    test('skip a task of tryHold while somebody holds the key', async () => {
      const [one, two] = [under.open().locks, under.open().locks];
      let ran = false;
      await one.hold([key('one')], async () => {
        expect(
          await two.tryHold(key('one'), async () => {
            ran = true;
          }),
        ).toBe(false);
      });
      expect(ran).toBe(false);
      expect(await two.tryHold(key('one'), async () => {})).toBe(true);
    });

    test('become free when the process that held them is killed', async () => {
      const held = join(scratch.path, 'held');
      const child = await startInOtherProcess(under.address, 'holdUntilKilled', key('one'), held);
      const ended = new Promise((resolve) => child.once('close', resolve));
      const { locks } = under.open();
      await until(() => existsSync(held));
      expect(await locks.tryHold(key('one'), async () => {})).toBe(false);
      const waiting = locks.hold([key('one')], async () => 'mine');
      child.kill('SIGKILL');
      expect(await waiting).toBe('mine');
      await ended;
    });

    test('stop waiting when the signal aborts', async () => {
      const held = join(scratch.path, 'held');
      const child = await startInOtherProcess(under.address, 'holdUntilKilled', key('one'), held);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await until(() => existsSync(held));
      const ending = new AbortController();
      const waiting = under.open().locks.hold([key('one')], async () => 'mine', ending.signal);
      ending.abort(new Error('called off'));
      await expect(waiting).rejects.toThrow('called off');
      child.kill('SIGKILL');
      await ended;
    });
  });
}
