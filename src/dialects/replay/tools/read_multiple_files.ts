import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { readEach } from '../read-each.ts';

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  title: 'Read multiple files',
  description:
    'Read several files at once: one item per file, "path:" and then its content. A file that cannot be read shows as [error: ...]; the call itself does not fail.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      paths: {
        ...strings,
        minItems: 1,
        maxItems: 50,
        description: 'Literal absolute file paths (max 50; globs not expanded)',
      },
    },
    required: ['paths'],
  },
  run: ({ paths }, context) => readEach(paths, context),
  render: (read) => ({
    result: { content: read.map(({ content }) => content) },
    failure: read.every(({ failure }) => failure) ? read[0]!.failure : undefined,
  }),
});
