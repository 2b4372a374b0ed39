import { ITEMS_PER_CHECK, mapInTurns, type TreeNode, Yielder } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { listThatFits } from '../../results/result-size.ts';
import { inWorkspace } from '../workspace.ts';

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'List a directory, one entry per line as "directory: name" or "file: name"; recursively, each directory is followed by what is in it.',
  hints: hints.readOnly,
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
      const { signal } = context;
      const yielder = new Yielder(signal);
      if (!recursive) {
        const entries = await workspace.files.list(path, { signal });
        return mapInTurns(entries, yielder, ({ name, target }) => entryLine(target === 'directory', name));
      }
      const lines: string[] = [];
      await addBelow(await workspace.files.tree(path, { signal }), '', lines, yielder);
      return lines;
    }),
  render: (lines, _, note) =>
    listThatFits(lines, { entries: 'entries', instead: 'list a directory inside', note }),
});

async function addBelow(
  { children = [] }: TreeNode,
  prefix: string,
  lines: string[],
  yielder: Yielder,
): Promise<void> {
  for (const [index, node] of children.entries()) {
    if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
    const path = prefix + node.name;
    lines.push(entryLine(node.type === 'directory', path));
    if (node.children) await addBelow(node, `${path}/`, lines, yielder);
  }
}

function entryLine(isDirectory: boolean, path: string): string {
  return `${isDirectory ? 'directory' : 'file'}: ${onOneLine(path)}`;
}
