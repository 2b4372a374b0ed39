import type { TreeNode } from '../../../engine/index.ts';
import { linesThatFit } from '../../answer-size.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../one-line.ts';
import { inWorkspace } from '../workspace.ts';

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'List a directory, one entry per line as "directory: name" or "file: name"; recursively, each directory is followed by what is in it.',
  hints: hints.looks,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The directory path to list contents of' },
      recursive: {
        type: 'boolean',
        description: 'Whether to recursively list subdirectory contents',
        default: false,
      },
    },
    required: ['path'],
  },
  run: ({ path, recursive }, context) =>
    inWorkspace(context, async (workspace) => {
      if (recursive) return entriesBelow(await workspace.tree(path, { signal: context.signal }), '');
      return (await workspace.list(path)).map(({ name, target }) => entryLine(target === 'directory', name));
    }),
  render: (lines, _, note) =>
    linesThatFit(lines, (shown) =>
      note(
        `[cut: the first ${shown} of ${lines.length} entries, more do not fit into one answer; list a directory inside]`,
      ),
    ),
});

function entriesBelow(directory: TreeNode, prefix: string): string[] {
  return (directory.children ?? []).flatMap((node) => {
    const path = prefix + node.name;
    return [entryLine(node.type === 'directory', path), ...entriesBelow(node, `${path}/`)];
  });
}

function entryLine(isDirectory: boolean, path: string): string {
  return `${isDirectory ? 'directory' : 'file'}: ${onOneLine(path)}`;
}
