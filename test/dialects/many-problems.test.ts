/** A call with any number of wrong fields is told of the first of them. */
import { expect, it } from 'vitest';
import { checkArguments } from '../../src/dialects/arguments.ts';
import { workspace } from '../../src/dialects/workspace/index.ts';
import type { EngineFailure } from '../../src/engine/index.ts';

it('names a hundred problems at most', () => {
  const tool = workspace.tools.find(({ name }) => name === 'delete_file')!;
  const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`bogus${i}`, 1]));
  try {
    checkArguments(tool, { path: 'a', ...unknown });
    expect.unreachable();
  } catch (error) {
    const { facts } = error as EngineFailure;
    expect(facts).toMatchObject({ kind: 'bad-arguments' });
    expect(facts.kind === 'bad-arguments' && facts.problems.length).toBe(100);
  }
});
