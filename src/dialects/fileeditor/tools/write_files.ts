import { defineTool, hints } from '../../dialect.ts';
import { linesOfEach, wrongCountNote } from '../line-counts.ts';
import { changedFilesOf, integerOrIntegers, oneForEach, stringOrStrings } from '../one-or-many.ts';
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
      path: stringOrStrings('The path of the single target file', 'An array of target file paths'),
      content: stringOrStrings(
        'The full content to write, for single file or same content for all files',
        'An array of content for each file, for different content per file',
      ),
      line_count: integerOrIntegers(
        'Total number of lines in the file, for single file or same for all files',
        'An array of line counts for each file, for different line counts per file',
        { minimum: 0 },
      ),
    },
    required: ['path', 'content', 'line_count'],
  },
  run: ({ path, content, line_count }, context) =>
    inWorkspace(context, async (workspace) => {
      const paths = changedFilesOf(path);
      const contents = oneForEach('content', content, paths.length);
      const counts = oneForEach('line_count', line_count, paths.length);
      const files = paths.map((each, index) => ({ path: each, content: contents[index]! }));
      await workspace.files.writeAll(files, { signal: context.signal });
      const lines = await linesOfEach(contents);
      return files.map((file, i) => ({ path: file.path, lines: lines[i]!, stated: counts[i]! }));
    }),
  render(files, { path }) {
    const notes = files.filter(({ lines, stated }) => lines !== stated).map(wrongCountNote);
    if (!Array.isArray(path)) {
      return [`File written successfully: ${path} (${files[0]!.lines} lines)`, ...notes].join('\n');
    }
    const total = files.reduce((sum, { lines }) => sum + lines, 0);
    const list = files.map(({ path: each, lines }) => `  - ${each} (${lines} lines)`);
    return [`Successfully wrote ${files.length} files (${total} total lines):`, ...list, ...notes].join('\n');
  },
});
