/** The signal of a call behaves like one of the platform, whether or not anything listened in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../src/server/mcp/cancellation.ts';

function heardBy(signal: AbortSignal): string[] {
  const heard: string[] = [];
  signal.addEventListener('abort', () => heard.push('always'));
  signal.addEventListener('abort', () => heard.push('once'), { once: true });
  signal.onabort = () => heard.push('onabort');
  return heard;
}

describe.each([
  ['of a call', () => new Cancellation()],
  ['of the platform', () => new AbortController()],
])('a signal %s', (_, make) => {
  it('notifies its listeners once, with the first reason', () => {
    const cancelling = make();
    const heard = heardBy(cancelling.signal);
    expect(cancelling.signal.aborted).toBe(false);
    cancelling.abort('first');
    cancelling.abort('second');
    expect(heard).toEqual(['always', 'once', 'onabort']);
    expect(cancelling.signal.aborted).toBe(true);
    expect(cancelling.signal.reason).toBe('first');
  });

  it('notifies neither a removed listener nor a late one', () => {
    const cancelling = make();
    const heard: string[] = [];
    const leaves = () => heard.push('left');
    cancelling.signal.addEventListener('abort', leaves);
    cancelling.signal.removeEventListener('abort', leaves);
    cancelling.abort();
    cancelling.signal.addEventListener('abort', () => heard.push('late'));
    expect(heard).toEqual([]);
  });

  it('has a default reason if none was given', () => {
    const cancelling = make();
    expect(() => cancelling.signal.throwIfAborted()).not.toThrow();
    cancelling.abort();
    expect(() => cancelling.signal.throwIfAborted()).toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(cancelling.signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it('cancels what Node does with it', async () => {
    const cancelling = make();
    const sleeping = sleep(60_000, undefined, { signal: cancelling.signal });
    cancelling.abort();
    await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
  });
});
