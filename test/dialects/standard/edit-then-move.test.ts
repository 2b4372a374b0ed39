/** A client may send the next change of a file before it has the answer to an edit. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InProcessClient } from '../../in-process.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

let root: ReturnType<typeof temporaryDirectory>;
let client: InProcessClient;
beforeEach(async () => {
  root = temporaryDirectory();
  layOut(root.path, { 'a.txt': 'one\n' });
  client = await InProcessClient.start(['--dialect', 'standard', root.path]);
});
afterEach(async () => {
  await client.end();
  root.remove();
});

test('an edit still answers with its diff when the next call moves the file', async () => {
  const edits = [{ oldText: 'one', newText: 'two' }];
  const [edited] = await Promise.all([
    client.text('edit_file', { path: 'a.txt', edits }),
    client.text('move_file', { source: 'a.txt', destination: 'b.txt' }),
  ]);
  expect(edited).toContain('+two');
  expect(readBack(root.path)).toEqual({ 'b.txt': 'two\n' });
});
