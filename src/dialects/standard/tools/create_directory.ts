import { defineTool, hints } from '../../dialect.ts';
import { pathOf } from '../paths.ts';
import { path } from '../schema.ts';

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create Directory',
  description: 'Make a directory with its missing parents; fine if it is there already.',
  hints: hints.idempotentAdditive,
  input: { type: 'object', properties: { path }, required: ['path'] },
  run: async ({ path }, context) =>
    context.engine.files.makeDirectory(await pathOf(path, context), { signal: context.signal }),
  render: (_, { path }) => `Successfully created directory ${path}`,
});
