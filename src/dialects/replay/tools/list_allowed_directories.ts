import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';

export const listAllowedDirectories = defineTool({
  name: 'list_allowed_directories',
  title: 'List allowed directories',
  description: 'The directories that this server may touch, and whether it may change them.',
  hints: hints.readOnly,
  input: { type: 'object', properties: {} },
  run: async (_, { engine }) => engine.roots,
  render: (roots) =>
    roots
      .map(({ path, writable }) => `${onOneLine(path)} (${writable ? 'read-write' : 'read-only'})`)
      .join('\n'),
});
