import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';

export const writeFile = defineTool({
  name: 'write_file',
  title: 'Write file',
  description: 'Write a file, replacing it if it exists; missing parent directories are created.',
  hints: hints.idempotentDestructive,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Absolute path to the file to write (creates parents)' },
      content: { type: 'string', description: 'UTF-8 content' },
    },
    required: ['path', 'content'],
  },
  run: ({ path, content }, { engine, signal, home }) =>
    engine.files.write(expandHome(path, home), content, { signal }),
  render: (_, { path }) => `Successfully wrote ${path}`,
});
