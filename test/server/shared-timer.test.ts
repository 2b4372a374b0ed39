/** A shared timer calls each function once, when it is due, and never after it was dropped. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SharedTimer } from '../../src/server/http/shared-timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('calls each function after its own delay', () => {
  const late = new SharedTimer(500);
  const heard: string[] = [];
  late.add(() => heard.push('first'));
  vi.advanceTimersByTime(300);
  late.add(() => heard.push('second'));
  vi.advanceTimersByTime(199);
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual(['first']);
  vi.advanceTimersByTime(299);
  expect(heard).toEqual(['first']);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual(['first', 'second']);
  vi.advanceTimersByTime(5000);
  expect(heard).toEqual(['first', 'second']);
});

it('does not call dropped functions, and still calls those that are added later', () => {
  const late = new SharedTimer(500);
  const heard: string[] = [];
  const dropped = () => heard.push('dropped');
  late.add(dropped);
  late.drop(dropped);
  vi.advanceTimersByTime(2000);
  late.add(() => {
    heard.push('later');
    late.add(() => heard.push('from inside'));
  });
  vi.advanceTimersByTime(500);
  expect(heard).toEqual(['later']);
  vi.advanceTimersByTime(500);
  expect(heard).toEqual(['later', 'from inside']);
});

it('needs one timer for many', () => {
  const late = new SharedTimer(500);
  for (let n = 0; n < 100; n++) {
    const call = () => expect.unreachable();
    late.add(call);
    late.drop(call);
  }
  expect(vi.getTimerCount()).toBe(1);
});
