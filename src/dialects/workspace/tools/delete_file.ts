import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { workspacePath } from '../paths.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete file',
  description:
    'Delete a file, a symlink (never what it points to) or an empty directory; with recursive also a directory with everything in it.',
  hints: hints.destructive,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['path'],
    properties: {
      path: { type: 'string' },
      recursive: { type: 'boolean', default: false },
    },
  },
  async run({ path: sent, recursive }, { engine, signal }) {
    const path = workspacePath(sent);
    const { removed } = await engine.files.remove(path, { recursive, signal });
    return { path, deletedType: removed === 'directory' ? 'dir' : 'file' };
  },
  render: success,
});
