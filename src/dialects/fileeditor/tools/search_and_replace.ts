import { defineTool, hints } from '../../dialect.ts';
import { replacementEdit, replacementText } from '../replacement.ts';
import { inWorkspace } from '../workspace.ts';

export const searchAndReplace = defineTool({
  name: 'search_and_replace',
  title: 'Search and replace',
  description:
    'Replace every occurrence of a text, or of an ECMAScript regular expression ($1 in replace is its first group), in one file or in a range of its lines.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The target file path' },
      search: { type: 'string', description: 'The text or regular expression to search for' },
      replace: { type: 'string', description: 'The text to replace with' },
      use_regex: {
        type: 'boolean',
        description: 'Whether to use regular expressions for searching',
        default: false,
      },
      ignore_case: { type: 'boolean', description: 'Whether to ignore case when searching', default: false },
      start_line: { type: 'integer', description: 'The starting line of the search range', minimum: 1 },
      end_line: { type: 'integer', description: 'The ending line of the search range', minimum: 1 },
    },
    required: ['path', 'search', 'replace'],
  },
  run: (args, context) =>
    inWorkspace(context, (workspace) =>
      workspace.files.edit(args.path, [replacementEdit(args)], { signal: context.signal }),
    ),
  render: ({ replacements, lines }, args) => replacementText(args, replacements[0]!, lines),
});
