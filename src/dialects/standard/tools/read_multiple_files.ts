import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { readSeveral } from '../reading/read-several.ts';

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  title: 'Read Multiple Files',
  description: 'Read several text files at once. One that fails shows its error; the others still come.',
  hints: hints.readOnly,
  input: { type: 'object', properties: { paths: { ...strings, minItems: 1 } }, required: ['paths'] },
  run: ({ paths }, context) => readSeveral(paths, context),
  render: ({ text, failure }) => ({ result: { content: [{ type: 'text', text }] }, failure }),
});
