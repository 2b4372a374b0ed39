import { defineTool, hints } from '../../dialect.ts';
import { listThatFits } from '../../results/result-size.ts';
import { entryLines, treeLines } from '../entry-lines.ts';
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
      if (recursive) return treeLines(await workspace.files.tree(path, { signal }), signal);
      return entryLines(await workspace.files.list(path, { signal }), signal);
    }),
  render: (lines, _, note) =>
    listThatFits(lines, { entries: 'entries', instead: 'list a directory inside', note }),
});
