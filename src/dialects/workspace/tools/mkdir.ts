import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { workspacePath } from '../paths.ts';

export const mkdir = defineTool({
  name: 'mkdir',
  title: 'Make directory',
  description:
    'Create a directory and its missing parents; with recursive false the parent must exist. created is false when the directory was there already.',
  hints: hints.idempotentAdditive,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['dir'],
    properties: {
      dir: { type: 'string' },
      recursive: { type: 'boolean', default: true },
    },
  },
  async run({ dir: sent, recursive }, { engine, signal }) {
    const dir = workspacePath(sent);
    const { created } = await engine.files.makeDirectory(dir, { parents: recursive, signal });
    return { dir, created };
  },
  render: success,
});
