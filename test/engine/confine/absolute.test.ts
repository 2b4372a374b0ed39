import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { Wall } from '../../../src/engine/confine/wall.ts';

it('makes any path absolute in the same way as the system', () => {
  const wall = new Wall([{ path: '/tmp', writable: true }]);
  const parts = ['/', 'a', '.', '..', '.a', 'a.', '...', '\\', 'ä'];
  const paths = parts.flatMap((a) =>
    parts.flatMap((b) => parts.flatMap((c) => [`${a}${b}${c}`, `/${a}${b}/${c}`])),
  );
  for (const path of paths) expect(wall.absolute(path)).toBe(resolve('/tmp', path));
  wall.close();
});
