import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { workspacePath } from '../paths.ts';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description: 'Read a UTF-8 text file of the workspace, whole; one larger than maxBytes is an error.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: {
      file: { type: 'string' },
      maxBytes: { type: 'integer', minimum: 1, maximum: 1048576, default: 262144 },
    },
  },
  async run({ file: sent, maxBytes }, { engine, signal }) {
    const file = workspacePath(sent);
    const { text, bytes } = await engine.files.readText(file, { limit: maxBytes, signal });
    return { file, content: text, bytes };
  },
  render: success,
});
