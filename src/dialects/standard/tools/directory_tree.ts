import { defineTool, hints, text } from '../../dialect.ts';
import { treeOf, treeText } from '../listing/tree.ts';
import { pathOf } from '../paths.ts';
import { excludePatterns, includeIgnored, path, position } from '../schema.ts';

export const directoryTree = defineTool({
  name: 'directory_tree',
  title: 'Directory Tree',
  description: 'A directory tree as JSON: name, type, children; "more" counts entries that are left out.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: { path, excludePatterns, depth: position, includeIgnored },
    required: ['path'],
  },
  async run(args, context) {
    const target = await pathOf(args.path, context);
    const tree = await treeOf(target, args, context);
    return treeText(tree, args, context);
  },
  render: ({ json, note }) => ({ content: [json, ...note].map(text) }),
});
