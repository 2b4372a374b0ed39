import { defineTool, hints } from '../../dialect.ts';

export const writeFile = defineTool({
  name: 'write_file',
  title: 'Write file',
  description:
    'Write content to a file, creating it if it does not exist or overwriting it entirely if it does. Parent directories are created automatically.',
  hints: hints.idempotentDestructive,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Absolute path to the file' },
      content: { type: 'string', description: 'Content to write' },
    },
    required: ['path', 'content'],
  },
  run: ({ path, content }, { engine, signal }) => engine.files.write(path, content, { signal }),
  render: ({ bytes }, { path }) => `Wrote ${bytes} bytes to ${path}`,
});
