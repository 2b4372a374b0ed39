/** A text that is too long for a path is refused before it is taken apart, and failures repeat only a part of it. */
import { expect, it } from 'vitest';
import { workspacePath } from '../../../src/dialects/workspace/paths.ts';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { EngineFailure, type Failure } from '../../../src/engine/failures.ts';
import { requireShortGlob, splitGlob } from '../../../src/engine/glob/glob.ts';

const long = '/a'.repeat(40_000);

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('it was not refused');
}

it('refuses a path that is too long', () => {
  const wall = new Wall([{ path: '/tmp', writable: true }]);
  for (const take of [() => wall.absolute(long), () => wall.resolve(long), () => workspacePath(long)]) {
    const facts = failureOf(take);
    expect(facts).toMatchObject({ kind: 'bad-path', why: 'too-deep' });
    expect((facts as { path: string }).path.length).toBeLessThan(5000);
  }
  expect(wall.absolute('/a'.repeat(1000))).toBe('/a'.repeat(1000));
  wall.close();
});

it('refuses a glob that is too long', () => {
  for (const take of [() => splitGlob(`${long}/*`), () => requireShortGlob(`${long}/*`)]) {
    const facts = failureOf(take);
    expect(facts.kind).toBe('bad-glob');
    expect((facts as { pattern: string }).pattern.length).toBeLessThan(5000);
  }
});
