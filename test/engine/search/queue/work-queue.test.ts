import { describe, expect, it } from 'vitest';
import { QUEUE_BYTES, WorkQueue } from '../../../../src/engine/search/queue/work-queue.ts';

describe('a thread that has no work', () => {
  it('leaves when others need it, and the rest of the work is done without it', () => {
    const memory = new SharedArrayBuffer(QUEUE_BYTES);
    const busy = new WorkQueue(memory);
    const idle = new WorkQueue(memory);
    busy.push(['directory']);
    expect([busy.join(0), idle.join(0)]).toEqual([true, true]);
    expect(busy.take()).toBe('directory');
    busy.releaseIdleThreads();
    expect(idle.take()).toBeUndefined();
    expect(busy.isOver).toBe(false);
    busy.push(['directory/below']);
    expect(busy.take()).toBe('directory/below');
    expect(busy.take()).toBeUndefined();
    expect([busy.isOver, busy.joined]).toEqual([true, 2]);
  });
});
