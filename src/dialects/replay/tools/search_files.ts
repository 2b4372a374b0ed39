import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { explainEmpty, secondSearch } from '../../empty-search.ts';
import {
  exclusionsIn,
  pathsBelow,
  pathsResult,
  searchCall,
  startDirectory,
} from '../searching/search-scope.ts';

export const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search file names',
  description:
    'Find files and directories by name: case-insensitive literal substring of the basename, recursively. For globs use glob_search, for contents grep_files.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      directory: { type: 'string', description: 'Root directory to search recursively' },
      nameContains: { type: 'string', description: 'Literal substring to match against basenames' },
      excludeGlobs: { ...strings, description: 'Glob exclusions' },
    },
    required: ['directory', 'nameContains'],
  },
  aliases: { path: 'directory', pattern: 'nameContains', excludePatterns: 'excludeGlobs' },
  async run({ directory, nameContains, excludeGlobs }, context) {
    const start = await startDirectory(directory, context);
    const exclude = exclusionsIn(start, excludeGlobs, context);
    const query = { contains: nameContains, exclude };
    const found = await context.engine.search.names(start, query, searchCall(context));
    if (found.entries.length === 0) {
      await explainEmpty(context, async () => {
        if (exclude.length > 0) {
          const query = { contains: nameContains, max: 1 };
          const { entries } = await context.engine.search.names(start, query, secondSearch);
          if (entries.length > 0) return '[0 matches; without excludeGlobs there are some]';
        }
        return /[*?[\]{}]/.test(nameContains)
          ? '[0 matches; nameContains is a literal text, glob_search takes globs]'
          : undefined;
      });
    }
    return { ...found, paths: await pathsBelow(start, found.entries, context) };
  },
  render: (found, _, note) =>
    pathsResult(found, {
      entries: 'paths',
      instead: 'search a directory inside, or for a longer name',
      note,
    }),
});
