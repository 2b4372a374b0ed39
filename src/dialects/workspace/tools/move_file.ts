import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { workspacePath } from '../paths.ts';

export const moveFile = defineTool({
  name: 'move_file',
  title: 'Move file',
  description:
    'Move or rename a file or directory; missing parents of the destination are created. With overwrite a file replaces a file, and a directory an empty directory.',
  hints: hints.destructive,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['from', 'to'],
    properties: {
      from: { type: 'string' },
      to: { type: 'string' },
      overwrite: { type: 'boolean', default: false },
    },
  },
  async run({ from: sentFrom, to: sentTo, overwrite }, { engine, signal }) {
    const from = workspacePath(sentFrom);
    const to = workspacePath(sentTo);
    const { overwritten } = await engine.files.move(from, to, { overwrite, signal });
    return { from, to, overwritten };
  },
  render: success,
});
