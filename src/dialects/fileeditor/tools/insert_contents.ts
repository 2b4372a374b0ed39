import { EngineFailure, type RewriteResults } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { failedWith, messageOf } from '../failures.ts';
import { filesOf, oneForEach } from '../lists.ts';
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
      path: {
        oneOf: [
          { type: 'string', description: 'The path of the single target file' },
          { type: 'array', items: { type: 'string' }, description: 'An array of target file paths' },
        ],
      },
      line: {
        oneOf: [
          {
            type: 'integer',
            description:
              'The line number to insert (positive: 1-based, 0: end of file, negative: from end, -1 before last line), for single file',
          },
          {
            type: 'array',
            items: { type: 'integer' },
            description:
              'An array of line numbers for each file (positive: insert, 0: end, negative: from end), for multiple files',
          },
        ],
      },
      content: {
        oneOf: [
          {
            type: 'string',
            description: 'The content to insert, for single file or same content for all files',
          },
          {
            type: 'array',
            items: { type: 'string' },
            description: 'An array of content for each file, for different content per file',
          },
        ],
      },
    },
    required: ['path', 'line', 'content'],
  },
  run: ({ path, line, content }, context) =>
    inWorkspace(context, async (workspace) => {
      const paths = filesOf(path);
      const lines = oneForEach('line', line, paths.length);
      const contents = oneForEach('content', content, paths.length);
      const insertions = paths.map((each, index) => ({
        path: each,
        line: lines[index]!,
        content: contents[index]!,
      }));
      try {
        const inserted = await workspace.files.insertLines(insertions, { signal: context.signal });
        return inserted.map((result, index) => tell(insertions[index]!, result));
      } catch (error) {
        if (!(error instanceof EngineFailure) || error.facts.kind !== 'line-out-of-range') throw error;
        return error.facts;
      }
    }),
  render(outcome, { path }) {
    if ('kind' in outcome) {
      const where = Array.isArray(path) ? ` in ${outcome.path}; nothing was changed` : '';
      return failedWith(outcome, messageOf(outcome, 'insert_contents') + where);
    }
    if (!Array.isArray(path)) return outcome[0]!;
    const list = outcome.map((each, index) => `✅ ${path[index]}: ${each}`);
    return `Successfully processed ${outcome.length} file(s):\n\n${list.join('\n')}`;
  },
});

function tell({ path, line }: { path: string; line: number }, result: RewriteResults['insert']): string {
  const position = line === 0 ? 'end of file' : result.line;
  return `Successfully inserted ${result.inserted} line(s) at position ${position} in ${path}. File now has ${result.lines} lines.`;
}
