import { defineTool, hints } from '../../dialect.ts';
import { manyFilesText, numberedFiles, numberedRange, oneFileText } from '../numbered-lines.ts';
import { filesOf, refuse, stringOrStrings } from '../one-or-many.ts';
import { inWorkspace } from '../workspace.ts';

export const readFiles = defineTool({
  name: 'read_files',
  title: 'Read files',
  description:
    'Read one file, a range of its lines, or several files. Every line comes with its number, as "12 | text".',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      path: stringOrStrings('The path of the single file to read', 'An array of file paths to read'),
      line_range: {
        type: 'string',
        description: "Optional line range, format 'start-end' (only for single file)",
        pattern: '^\\d+-\\d+$',
      },
    },
    required: ['path'],
  },
  run: ({ path, line_range }, context) =>
    inWorkspace(context, async (workspace) => {
      const { signal } = context;
      if (line_range === undefined) {
        const files = await numberedFiles(workspace, path, signal);
        return Array.isArray(path) ? manyFilesText(path, files) : oneFileText(files[0]!);
      }
      const [first, ...more] = filesOf(path);
      if (more.length > 0) refuse('line_range', 'line_range works with a single file only');
      return oneFileText(await numberedRange(workspace, first!, line_range, signal));
    }),
  render: (text) => text,
});
