/** What all sessions guarantee (see src/state/sessions.ts). */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Sessions } from '../../../src/state/sessions.ts';
import { type StateFactory, until } from './factory.ts';

const HOUR_MS = 3_600_000;

/** Passes the sessions of two processes, or the same sessions twice when processes cannot share them. */
async function withSessions(
  create: StateFactory,
  use: (one: Sessions, two: Sessions) => Promise<void>,
): Promise<void> {
  const under = create();
  try {
    const one = under.open().sessions;
    await use(one, one.isShared ? under.open().sessions : one);
  } finally {
    await under.remove();
  }
}

export function sessionsContract(create: StateFactory): void {
  const begin = (idleMs = HOUR_MS) => ({
    ...{ id: randomUUID(), owner: 'anna', opening: { name: 'line\u0000 \ud800' }, idleMs },
  });

  test('every process finds a session with its latest changes, until one process ends it', () =>
    withSessions(create, async (one, two) => {
      const begun = begin();
      await one.open(begun);
      expect(await two.find(begun.id)).toEqual({ ...begun, facts: {}, revision: expect.any(Number) });
      const before = await one.find(begun.id);
      await two.change(begun.id, (facts) => ({ ...facts, workspace: '=docs/\ud800' }));
      const after = await one.find(begun.id);
      expect(after?.facts).toEqual({ workspace: '=docs/\ud800' });
      expect(after?.revision).not.toBe(before?.revision);
      await two.end(begun.id);
      expect(await one.find(begun.id)).toBeUndefined();
      expect(await one.change(begun.id, () => ({ late: true }))).toBeUndefined();
      expect(await one.inUse([begun.id])).toEqual([begun.id]);
      expect(await two.find(begun.id)).toBeUndefined();
    }));

  test('concurrent changes of a session do not overwrite each other', () =>
    withSessions(create, async (one, two) => {
      const { id, ...rest } = begin();
      await one.open({ id, ...rest });
      const names = Array.from({ length: 12 }, (_, n) => `fact ${n}`);
      await Promise.all(
        names.map((name, n) => (n % 2 ? one : two).change(id, (facts) => ({ ...facts, [name]: n }))),
      );
      expect(Object.keys((await one.find(id))!.facts).sort()).toEqual([...names].sort());
    }));

  test('a session that nobody uses expires, and one that is in use does not', () =>
    withSessions(create, async (one, two) => {
      const [idle, used] = [begin(200), begin(2000)];
      await one.open(idle);
      await one.open(used);
      let isOver = false;
      const asking = async () => {
        while (!isOver) {
          expect(await two.inUse([used.id])).toEqual([]);
          isOver = (await two.find(idle.id)) === undefined;
        }
      };
      void asking();
      await until(() => isOver);
      expect(await two.inUse([idle.id, used.id])).toEqual([idle.id]);
      expect((await one.find(used.id))?.id).toBe(used.id);
    }));

  test('all processes sign with one key, and accept the previous one', () =>
    withSessions(create, async (one, two) => {
      const [first] = await Promise.all([one.keys(), two.keys()]);
      expect(first).toHaveLength(1);
      expect(first[0]!.length).toBeGreaterThanOrEqual(32);
      await two.addKey();
      const second = await one.keys();
      expect(second.map(String)).toEqual((await two.keys()).map(String));
      expect(second[1]!.equals(first[0]!)).toBe(true);
      await one.addKey();
      const third = await two.keys();
      expect(third).toHaveLength(2);
      expect(third[1]!.equals(second[0]!)).toBe(true);
      expect(third.some((key) => key.equals(first[0]!))).toBe(false);
    }));

  test('a message about a session reaches the other process once, and only for that session', () =>
    withSessions(create, async (one, two) => {
      if (!one.isShared) {
        await one.send('a', 'nobody else is there');
        expect(await one.receive(['a'])).toEqual([]);
        return;
      }
      await one.send('a', 'first');
      await one.send('b', 'other');
      expect(await one.receive(['a', 'b'])).toEqual([]);
      expect(await two.receive(['a'])).toEqual([{ session: 'a', message: 'first' }]);
      await one.send('a', 'second');
      expect(await two.receive(['a'])).toEqual([{ session: 'a', message: 'second' }]);
      expect(await two.receive(['a', 'b'])).toEqual([{ session: 'b', message: 'other' }]);
    }));
}
