import { defineTool, hints } from '../../dialect.ts';
import { expandHome } from '../paths.ts';

export const directoryTree = defineTool({
  name: 'directory_tree',
  title: 'Directory tree',
  description: 'A directory tree as JSON: {name, type, children[]}.',
  hints: hints.looks,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Root directory' },
      depth: {
        type: 'integer',
        minimum: 0,
        description: 'Max recursion depth (omit = unlimited; 0 = root only)',
      },
    },
    required: ['path'],
  },
  run: ({ path, depth }, { engine, signal, home }) =>
    engine.tree(expandHome(path, home), { signal, ...(depth === undefined ? {} : { depth }) }),
  render: (tree) => JSON.stringify(tree),
});
