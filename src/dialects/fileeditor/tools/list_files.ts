import { Breathing, ITEMS_A_LOOK, mapInTurns, type TreeNode } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../one-line.ts';
import { listThatFits } from '../../result-size.ts';
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
      const breathing = new Breathing(signal);
      if (!recursive) {
        const entries = await workspace.files.list(path, { signal });
        return mapInTurns(entries, breathing, ({ name, target }) => entryLine(target === 'directory', name));
      }
      const lines: string[] = [];
      await addBelow(await workspace.files.tree(path, { signal }), '', lines, breathing);
      return lines;
    }),
  render: (lines, _, note) =>
    listThatFits(lines, { entries: 'entries', instead: 'list a directory inside', note }),
});

async function addBelow(
  { children = [] }: TreeNode,
  prefix: string,
  lines: string[],
  breathing: Breathing,
): Promise<void> {
  for (const [index, node] of children.entries()) {
    if (index % ITEMS_A_LOOK === 0) await breathing.pause();
    const path = prefix + node.name;
    lines.push(entryLine(node.type === 'directory', path));
    if (node.children) await addBelow(node, `${path}/`, lines, breathing);
  }
}

function entryLine(isDirectory: boolean, path: string): string {
  return `${isDirectory ? 'directory' : 'file'}: ${onOneLine(path)}`;
}
