/** How many workers a flood of edits starts. */
import { afterAll, expect, it } from 'vitest';
import { TextEditor } from '../../../../src/engine/files/edit/text-editor.ts';
import type { RewriteJob } from '../../../../src/engine/text/rewrite.ts';

const editor = new TextEditor();
let started = 0;
const count = () => void started++;
process.on('worker', count);
afterAll(async () => {
  process.off('worker', count);
  await editor.close();
});

it('stays small: an edit waits for a worker that will soon be free', async () => {
  const bytes = Buffer.from('some text\n');
  const regex = { kind: 'regex', pattern: 's(o)me', flags: '', replace: '$1', style: 'ecmascript', limit: 0 };
  const job = { kind: 'edit', edits: [regex] } as unknown as RewriteJob;
  const edit = async () => {
    for (let i = 0; i < 5; i++) expect(String((await editor.run(job, bytes)).bytes)).toBe('o text\n');
  };
  await Promise.all(Array.from({ length: 8 }, edit));
  // If each edit that finds no idle worker started one, these would start at least eight.
  expect(started).toBeLessThan(5);
});
