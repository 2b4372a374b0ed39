import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { findByGlob } from '../searching/find-paths.ts';
import { pathsResult } from '../searching/search-scope.ts';

export const globSearch = defineTool({
  name: 'glob_search',
  title: 'Search by glob',
  description:
    'Find files (not directories) by glob: ** (recursive), * and ? (within a name), [a-z], {a,b}. For contents use grep_files, for a literal name substring search_files.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      directory: { type: 'string', description: 'Root directory' },
      globs: { ...strings, minItems: 1, description: 'Glob patterns relative to directory' },
      excludeGlobs: { ...strings, description: 'Exclusion globs' },
      max: { type: 'integer', minimum: 0, default: 1000, description: 'Result cap (0 = unlimited)' },
    },
    required: ['directory', 'globs'],
  },
  run: findByGlob,
  render: (found, { max }, note) =>
    pathsResult(found, {
      entries: 'files',
      instead: 'search a directory inside, or with narrower globs',
      note,
      notes: found.truncated ? [`[truncated: the first ${max} files; raise max, or 0 for all]`] : [],
    }),
});
