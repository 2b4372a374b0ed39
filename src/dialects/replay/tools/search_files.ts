import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { findByName } from '../searching/find-paths.ts';
import { pathsResult } from '../searching/search-scope.ts';

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
  run: findByName,
  render: (found, _, note) =>
    pathsResult(found, {
      entries: 'paths',
      instead: 'search a directory inside, or for a longer name',
      note,
    }),
});
