import type { RewriteResults } from '../../../engine/index.ts';
import { catchFailure } from '../../catch-failure.ts';
import { defineTool, hints } from '../../dialect.ts';
import { failedWith, messageOf } from '../failures.ts';
import { filesOf, integerOrIntegers, oneForEach, stringOrStrings } from '../one-or-many.ts';
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
  run: ({ path, line, content }, context) =>
    inWorkspace(context, async (workspace) => {
      const paths = filesOf(path);
      const lines = oneForEach('line', line, paths.length);
      const contents = oneForEach('content', content, paths.length);
      const insertions = paths.map((each, i) => ({ path: each, line: lines[i]!, content: contents[i]! }));
      const insert = () => workspace.files.insertLines(insertions, { signal: context.signal });
      return { insertions, inserted: await catchFailure('line-out-of-range', insert) };
    }),
  render({ insertions, inserted }, { path }) {
    if ('failure' in inserted) {
      const { failure } = inserted;
      const where = Array.isArray(path) ? ` in ${failure.path}; nothing was changed` : '';
      return failedWith(failure, messageOf(failure, 'insert_contents') + where);
    }
    const messages = inserted.value.map((result, index) => messageFor(insertions[index]!, result));
    if (!Array.isArray(path)) return messages[0]!;
    const list = messages.map((message, index) => `✅ ${path[index]}: ${message}`);
    return `Successfully processed ${messages.length} file(s):\n\n${list.join('\n')}`;
  },
});

function messageFor(
  { path, line }: { path: string; line: number },
  result: RewriteResults['insert'],
): string {
  const position = line === 0 ? 'end of file' : result.line;
  return `Successfully inserted ${result.inserted} line(s) at position ${position} in ${path}. File now has ${result.lines} lines.`;
}
