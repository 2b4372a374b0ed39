/** A client may send the next change of a file before it has the answer to an edit. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBack } from '../../tree.ts';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

let fixture: StandardFixture;
beforeEach(() => {
  fixture = openStandardFixture({ 'a.txt': 'one\n' });
});
afterEach(() => fixture.close());

test('an edit answers its diff although the next call moves the file', async () => {
  const edits = [{ oldText: 'one', newText: 'two' }];
  const [edited] = await Promise.all([
    fixture.call('edit_file', { path: 'a.txt', edits }, 1000),
    fixture.call('move_file', { source: 'a.txt', destination: 'b.txt' }, 1000),
  ]);
  expect(edited.join('')).toContain('+two');
  expect(readBack(fixture.root)).toEqual({ 'b.txt': 'two\n' });
});
