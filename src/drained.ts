import type { Writable } from 'node:stream';

/** Settles when a stream that was full takes more. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve));
}
