/** What goes along with a message to another thread. */
import { expect, it } from 'vitest';
import { packed } from '../../../../src/engine/files/edit/message-chunks.ts';

it('takes no more than the bytes themselves along, however much memory they lie in', () => {
  const bytes = Buffer.alloc(128 * 1024).subarray(100, 104);
  const { value, done } = packed({ bytes }).next();
  expect(done).toBe(true);
  const sent = (value as { bytes: Uint8Array }).bytes;
  expect([...sent]).toEqual([...bytes]);
  expect(sent.buffer.byteLength).toBe(4);
});
