import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { MAX_FILE_BYTES } from '../file-limit.ts';
import { workspacePath } from '../paths.ts';

export const writeFile = defineTool({
  name: 'write_file',
  title: 'Write file',
  description:
    'Write a file of at most 1 MiB, replacing it if it exists; missing parent directories are created.',
  hints: hints.idempotentDestructive,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['file', 'content'],
    properties: {
      file: { type: 'string' },
      content: { type: 'string' },
    },
  },
  async run({ file: sent, content }, { engine, signal }) {
    const file = workspacePath(sent);
    const { bytes } = await engine.files.write(file, content, { limit: MAX_FILE_BYTES, signal });
    return { file, bytesWritten: bytes };
  },
  render: success,
});
