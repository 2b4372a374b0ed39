import { defineTool, hints } from '../../dialect.ts';
import { leadingLinesThatFit } from '../../results/result-size.ts';
import { editedText, editOne, editsSchema } from '../edits.ts';

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replace text in a file. Literal by default: oldText must occur exactly once (or set limit); indentation may differ. isRegex uses an ECMAScript regex with ^ and $ at line boundaries: preview with dryRun first.',
  hints: hints.destructive,
  usefulReadOnly: true,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Absolute path to the file' },
      edits: editsSchema,
      dryRun: {
        type: 'boolean',
        default: false,
        description:
          'Preview as a unified diff without writing; use FIRST for regex edits, then re-issue with dryRun:false',
      },
    },
    required: ['path', 'edits'],
  },
  run: ({ path, edits, dryRun }, context) => editOne(path, edits, dryRun, context),
  render: (edited, { path }, note) =>
    leadingLinesThatFit(editedText(path, edited), (shown) =>
      note(`[cut: the first ${shown} lines of the preview, more do not fit into one answer]`),
    ),
});
