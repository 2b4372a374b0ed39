/** How long a call waits behind an earlier one on its path: for as long as earlier calls keep ending. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallOrder } from '../../../src/engine/access/call-order.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A call on a path, and how to end it. */
function begin(order: CallOrder, path: string, verb: 'read' | 'change') {
  let end = () => {};
  let hasBegun = false;
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const done = order.run([path], verb, () => {
    hasBegun = true;
    return work;
  });
  return { end, done, hasBegun: () => hasBegun };
}

it('is renewed by every earlier call that ends, on other paths too', async () => {
  const order = new CallOrder();
  const others = Array.from({ length: 10 }, (_, n) => begin(order, `/other-${n}`, 'change'));
  const write = begin(order, '/a', 'change');
  const read = begin(order, '/a', 'read');
  for (const other of others) {
    await vi.advanceTimersByTimeAsync(1500);
    other.end();
  }
  await vi.advanceTimersByTimeAsync(1500);
  expect(read.hasBegun()).toBe(false);
  write.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(read.hasBegun()).toBe(true);
  read.end();
  await read.done;
});

it('is not renewed by later calls, and ends if the earlier call makes no progress', async () => {
  const order = new CallOrder();
  begin(order, '/a', 'change');
  const read = begin(order, '/a', 'read');
  for (let n = 0; n < 3; n++) {
    const later = begin(order, `/later-${n}`, 'change');
    await vi.advanceTimersByTimeAsync(800);
    later.end();
    await later.done;
  }
  expect(read.hasBegun()).toBe(true);
});
