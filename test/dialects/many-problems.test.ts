/** A call with very many wrong fields or items gets an answer that names the first of them. */
import { expect, it } from 'vitest';
import { checkArguments } from '../../src/dialects/arguments/arguments.ts';
import type { Tool } from '../../src/dialects/dialect.ts';
import { replay } from '../../src/dialects/replay/index.ts';
import { workspace } from '../../src/dialects/workspace/index.ts';
import { type ArgumentProblem, EngineFailure } from '../../src/engine/index.ts';

async function problemsOf(tool: Tool, args: unknown): Promise<readonly ArgumentProblem[]> {
  const checked = (async () => checkArguments(tool, args))();
  const error = await checked.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  const facts = error instanceof EngineFailure ? error.facts : undefined;
  return facts?.kind === 'bad-arguments' ? facts.problems : expect.unreachable();
}

const editFile = replay.tools.find(({ name }) => name === 'edit_file')!;

it('names a hundred problems at most', async () => {
  const tool = workspace.tools.find(({ name }) => name === 'delete_file')!;
  const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`bogus${i}`, 1]));
  expect(await problemsOf(tool, { path: 'a', ...unknown })).toHaveLength(100);
});

it('copes with a list of very many items that are all wrong', async () => {
  const edits = Array.from({ length: 10_000 }, () => ({ oldText: 7, newText: 8 }));
  expect(await problemsOf(editFile, { path: 'a', edits })).toHaveLength(100);
});

it('names a wrong item by its index in the whole list', async () => {
  const edits: unknown[] = Array.from({ length: 3000 }, () => ({ oldText: 'a', newText: 'b' }));
  edits[2345] = { oldText: 'a', newText: 8 };
  const [problem] = await problemsOf(editFile, { path: 'a', edits });
  expect(problem).toMatchObject({
    field: 'edits[2345].newText',
    message: 'edits[2345].newText must be a string, not number',
  });
});
