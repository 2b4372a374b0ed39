/** What a subscription reports when checks of its file take long. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Engine, Stat } from '../../src/engine/index.ts';
import { Subscriptions } from '../../src/server/mcp/resources/subscriptions.ts';

const PATH = '/served/a.txt';
const URI = `file://${PATH}`;
const LATER_MS = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('reports one change only once, even if two checks find it at the same time', async () => {
  const looks: ((found: Stat) => void)[] = [];
  let changed: (path: string, below: boolean) => void = () => {};
  const engine = {
    files: {
      info: async (path: string) => ({ path }),
      peek: () => new Promise<Stat>((resolve) => looks.push(resolve)),
    },
    watch: async () => undefined,
    onChange: (heard: typeof changed) => {
      changed = heard;
      return () => {};
    },
  } as unknown as Engine;
  const told: string[] = [];
  const subscriptions = new Subscriptions(engine, engine, (uri) => told.push(uri));

  const adding = subscriptions.add(URI, PATH);
  await vi.waitFor(() => expect(looks).toHaveLength(1));
  looks[0]!({ ino: 1n } as unknown as Stat);
  await adding;

  for (const look of [2, 3]) {
    changed(PATH, false);
    await vi.advanceTimersByTimeAsync(LATER_MS);
    expect(looks).toHaveLength(look);
  }
  for (const look of looks.slice(1)) look({ ino: 2n } as unknown as Stat);
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(told).toEqual([URI]);
  subscriptions.close();
});
