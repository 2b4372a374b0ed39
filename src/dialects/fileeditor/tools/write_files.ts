import { countLines } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { filesOf, oneForEach } from '../lists.ts';
import { inWorkspace } from '../workspace.ts';

export const writeFiles = defineTool({
  name: 'write_files',
  title: 'Write files',
  description:
    'Create files or replace their whole content: one file, or several at once (all of them or none). Missing parent directories are made.',
  hints: hints.idempotentDestructive,
  input: {
    type: 'object',
    properties: {
      path: {
        oneOf: [
          { type: 'string', description: 'The path of the single target file' },
          { type: 'array', items: { type: 'string' }, description: 'An array of target file paths' },
        ],
      },
      content: {
        oneOf: [
          {
            type: 'string',
            description: 'The full content to write, for single file or same content for all files',
          },
          {
            type: 'array',
            items: { type: 'string' },
            description: 'An array of content for each file, for different content per file',
          },
        ],
      },
      line_count: {
        oneOf: [
          {
            type: 'integer',
            description: 'Total number of lines in the file, for single file or same for all files',
            minimum: 0,
          },
          {
            type: 'array',
            items: { type: 'integer', minimum: 0 },
            description: 'An array of line counts for each file, for different line counts per file',
          },
        ],
      },
    },
    required: ['path', 'content', 'line_count'],
  },
  run: ({ path, content, line_count }, context) =>
    inWorkspace(context, async (workspace) => {
      const paths = filesOf(path);
      const contents = oneForEach('content', content, paths.length);
      const counts = oneForEach('line_count', line_count, paths.length);
      const files = paths.map((each, index) => ({ path: each, content: contents[index]! }));
      await workspace.files.writeAll(files, { signal: context.signal });
      return files.map((file, index) => ({
        path: file.path,
        lines: countLines(file.content),
        said: counts[index]!,
      }));
    }),
  render(files, { path }) {
    const notes = files.filter(({ lines, said }) => lines !== said).map(noteOf);
    if (!Array.isArray(path)) {
      return [`File written successfully: ${path} (${files[0]!.lines} lines)`, ...notes].join('\n');
    }
    const total = files.reduce((sum, { lines }) => sum + lines, 0);
    const list = files.map(({ path: each, lines }) => `  - ${each} (${lines} lines)`);
    return [`Successfully wrote ${files.length} files (${total} total lines):`, ...list, ...notes].join('\n');
  },
});

function noteOf({ path, lines, said }: { path: string; lines: number; said: number }): string {
  return `Note: line_count for ${path} was ${said}, but the content has ${lines} lines`;
}
