import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';
import { requireFits } from '../../results/result-size.ts';
import { depthThatFits, treeAsJson } from '../tree-json.ts';

export const directoryTree = defineTool({
  name: 'directory_tree',
  title: 'Directory tree',
  description: 'A directory tree as JSON: {name, type, children[]}.',
  hints: hints.readOnly,
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
  async run({ path, depth }, { engine, signal, home }) {
    const options = { signal, ...(depth === undefined ? {} : { depth }) };
    const tree = await engine.files.tree(expandHome(path, home), options);
    return { tree, json: await treeAsJson(tree, signal) };
  },
  render: ({ tree, json }, { path }) => requireFits(json, () => depthThatFits(tree), path),
});
