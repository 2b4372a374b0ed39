import type { TextEdit } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { refuse } from '../lists.ts';
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
      ignore_case: {
        type: 'boolean',
        description: 'Whether to ignore case when searching',
        default: false,
      },
      start_line: { type: 'integer', description: 'The starting line of the search range', minimum: 1 },
      end_line: { type: 'integer', description: 'The ending line of the search range', minimum: 1 },
    },
    required: ['path', 'search', 'replace'],
  },
  run: ({ path, search, replace, use_regex, ignore_case, start_line, end_line }, context) =>
    inWorkspace(context, async (workspace) => {
      if (search === '') refuse('search', 'search is empty');
      const ranged = start_line !== undefined || end_line !== undefined;
      const range = { from: start_line ?? 1, to: end_line ?? Number.MAX_SAFE_INTEGER };
      if (range.from > range.to) {
        refuse('start_line', `start_line ${range.from} is behind end_line ${range.to}`);
      }
      const lines = ranged ? range : undefined;
      const edit: TextEdit = use_regex
        ? {
            kind: 'regex',
            pattern: search,
            flags: ignore_case ? 'im' : 'm',
            replace,
            style: 'ecmascript',
            limit: 0,
            mustMatch: false,
            lines,
          }
        : {
            kind: 'literal',
            find: search,
            replace,
            ignoreCase: ignore_case,
            limit: 0,
            unique: false,
            anyIndent: false,
            mustMatch: false,
            lines,
          };
      const { replacements, lines: all } = await workspace.files.edit(path, [edit], {
        signal: context.signal,
      });
      return { count: replacements[0]!, last: end_line ?? all };
    }),
  render({ count, last }, { path, use_regex, ignore_case, start_line, end_line }) {
    const ranged = start_line !== undefined || end_line !== undefined;
    const suffixes = [
      use_regex ? ' using regex pattern' : '',
      ranged ? ` (lines ${start_line ?? 1}-${last})` : '',
      ignore_case ? ' (case-insensitive)' : '',
    ];
    return `Successfully replaced ${count} occurrence(s) in ${path}${suffixes.join('')}`;
  },
});
