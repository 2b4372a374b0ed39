import { defineTool, hints } from '../../dialect.ts';

export const append = defineTool({
  name: 'append',
  title: 'Append to file',
  description: 'Append content to the end of an existing file. Does not create the file if it is absent.',
  hints: hints.additive,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Absolute path to the target file' },
      content: { type: 'string', description: 'Content to append' },
    },
    required: ['path', 'content'],
  },
  run: ({ path, content }, { engine, signal }) => engine.files.append(path, content, { signal }),
  render: ({ bytes }, { path }) => `Appended ${bytes} bytes to ${path}`,
});
