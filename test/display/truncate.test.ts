import { expect, it } from 'vitest';
import { truncate } from '../../src/display/truncate.ts';

it('cuts no character in two', () => {
  expect(truncate('ab😀', 3)).toBe('ab…');
  expect(truncate('ab😀', 4)).toBe('ab😀');
});
