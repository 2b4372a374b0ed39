import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete file',
  description: 'Delete a file, or a directory with everything in it.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path (file or directory, recursive)' } },
    required: ['path'],
  },
  run: ({ path }, { engine, signal, home }) =>
    engine.files.remove(expandHome(path, home), { recursive: true, signal }),
  render: (_, { path }) => `Successfully deleted ${path}`,
});
