/** What is sent along with a message to another thread. */
import { expect, it } from 'vitest';
import { packed } from '../../../../src/engine/files/edit/message-chunks.ts';

it('sends only the bytes themselves, however large their buffer is', () => {
  const bytes = Buffer.alloc(128 * 1024).subarray(100, 104);
  const { value, done } = packed({ bytes }).next();
  expect(done).toBe(true);
  const sent = (value as { bytes: Uint8Array }).bytes;
  expect([...sent]).toEqual([...bytes]);
  expect(sent.buffer.byteLength).toBe(4);
});
