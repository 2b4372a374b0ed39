import { defineTool, hints } from '../../dialect.ts';

export const moveFile = defineTool({
  name: 'move_file',
  title: 'Move file',
  description: 'Move or rename a file within the root. Never overwrites what is at the destination.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: {
      source: { type: 'string', description: 'Absolute path to the source file' },
      destination: { type: 'string', description: 'Absolute path to the destination' },
    },
    required: ['source', 'destination'],
  },
  run: ({ source, destination }, { engine, signal }) => engine.files.move(source, destination, { signal }),
  render: (_, { source, destination }) => `Moved ${source} to ${destination}`,
});
