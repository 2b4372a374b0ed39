import { defineTool, hints } from '../../dialect.ts';

export const listAllowedDirectories = defineTool({
  name: 'list_allowed_directories',
  title: 'List Allowed Directories',
  description: 'The directories that this server serves.',
  hints: hints.readOnly,
  input: { type: 'object', properties: {} },
  run: async (_, { engine }) => engine.roots,
  render: (roots) =>
    `Allowed directories:\n${roots.map(({ path, writable }) => (writable ? path : `${path} (read-only)`)).join('\n')}`,
});
