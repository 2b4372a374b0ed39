import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create directory',
  description: 'Create a directory and its missing parents (mkdir -p).',
  hints: hints.idempotentAdditive,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path (mkdir -p semantics)' } },
    required: ['path'],
  },
  run: ({ path }, { engine, signal, home }) => engine.files.makeDirectory(expandHome(path, home), { signal }),
  render: (_, { path }) => `Successfully created ${path}`,
});
