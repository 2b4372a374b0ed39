import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';

export const moveFile = defineTool({
  name: 'move_file',
  title: 'Move file',
  description:
    'Move or rename a file or directory; missing parents of the destination are created. Never overwrites.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: {
      source: { type: 'string', description: 'Absolute source path' },
      destination: { type: 'string', description: 'Absolute destination path (creates parents)' },
    },
    required: ['source', 'destination'],
  },
  run: ({ source, destination }, { engine, signal, home }) =>
    engine.files.move(expandHome(source, home), expandHome(destination, home), { signal }),
  render: (_, { source, destination }) => `Successfully moved ${source} to ${destination}`,
});
