import { defineTool, hints } from '../../dialect.ts';
import { applyLineDiffs } from '../line-diffs.ts';
import { integerOrIntegers, stringOrStrings } from '../one-or-many.ts';
import { inWorkspace } from '../workspace.ts';

export const applyDiffs = defineTool({
  name: 'apply_diffs',
  title: 'Apply diffs',
  description:
    'Replace blocks of lines in a file: search_content must be at start_line. Several diffs may be given as lists; every start_line counts in the file as it was before the call.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The path of the file to modify' },
      search_content: stringOrStrings(
        'The original content to match precisely (for single diff)',
        'Array of original content to match precisely (for multiple diffs)',
      ),
      replace_content: stringOrStrings(
        'The new content to replace with (for single diff)',
        'Array of new content to replace with (for multiple diffs)',
      ),
      start_line: integerOrIntegers(
        'The starting line number for searching content (for single diff, 1-based line number from original file)',
        'Array of starting line numbers for searching content (for multiple diffs, all 1-based line numbers from original file - tool automatically handles line offset adjustments during processing)',
        { minimum: 1 },
      ),
      atomic: {
        type: 'boolean',
        description:
          'Whether to use atomic mode (all-or-nothing). When true (default), validates all diffs before applying any. When false, applies diffs one by one, continuing on failures.',
        default: true,
      },
      trim: {
        type: 'boolean',
        description:
          'Whether to trim whitespace from the beginning and end of each line when comparing search_content with file content. Only affects search and matching - replace_content is inserted exactly as provided. Default is false.',
        default: false,
      },
    },
    required: ['path', 'search_content', 'replace_content', 'start_line'],
  },
  run: (args, context) =>
    inWorkspace(context, (workspace) => applyLineDiffs(args, workspace, context.signal)),
  render: (outcome) => outcome,
});
