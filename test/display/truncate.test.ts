import { expect, it } from 'vitest';
import { truncate } from '../../src/display/truncate.ts';

it('truncate never splits a character', () => {
  expect(truncate('ab😀', 3)).toBe('ab…');
  expect(truncate('ab😀', 4)).toBe('ab😀');
});
