import { catchFailure } from '../../catch-failure.ts';
import { defineTool, hints } from '../../dialect.ts';
import { insertionsOf, insertionsResult } from '../insertions.ts';
import { integerOrIntegers, stringOrStrings } from '../one-or-many.ts';
import { inWorkspace } from '../workspace.ts';

export const insertContents = defineTool({
  name: 'insert_contents',
  title: 'Insert contents',
  description:
    'Insert lines before a line of a file (0: at its end, -1: before its last line), in one file or in several at once (all of them or none).',
  hints: hints.additive,
  input: {
    type: 'object',
    properties: {
      path: stringOrStrings('The path of the single target file', 'An array of target file paths'),
      line: integerOrIntegers(
        'The line number to insert (positive: 1-based, 0: end of file, negative: from end, -1 before last line), for single file',
        'An array of line numbers for each file (positive: insert, 0: end, negative: from end), for multiple files',
      ),
      content: stringOrStrings(
        'The content to insert, for single file or same content for all files',
        'An array of content for each file, for different content per file',
      ),
    },
    required: ['path', 'line', 'content'],
  },
  run: (args, context) =>
    inWorkspace(context, async ({ files }) => {
      const insertions = insertionsOf(args);
      const insert = () => files.insertLines(insertions, { signal: context.signal });
      return { insertions, inserted: await catchFailure('line-out-of-range', insert) };
    }),
  render: ({ insertions, inserted }, { path }) => insertionsResult(insertions, inserted, Array.isArray(path)),
});
