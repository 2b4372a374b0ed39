import { defineTool, hints } from '../../dialect.ts';

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create directory',
  description: 'Create a directory and any missing parent directories.',
  hints: hints.idempotentAdditive,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path to the directory to create' } },
    required: ['path'],
  },
  run: ({ path }, { engine, signal }) => engine.files.makeDirectory(path, { signal }),
  render: ({ created }, { path }) => (created ? `Created ${path}` : `${path} exists already`),
});
