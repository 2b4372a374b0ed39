import { requireFewGlobs } from '../../../engine/index.ts';
import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { deeper, explainEmpty } from '../../empty-search.ts';
import {
  exclusionsIn,
  pathsBelow,
  pathsResult,
  searchCall,
  startDirectory,
} from '../searching/search-scope.ts';

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
  async run({ directory, globs, excludeGlobs, max }, context) {
    requireFewGlobs(globs);
    const start = await startDirectory(directory, context);
    const exclude = exclusionsIn(start, excludeGlobs, context);
    const query = { globs, exclude, max: max === 0 ? undefined : max };
    const found = await context.engine.search.glob(start, query, searchCall(context));
    if (found.entries.length === 0) {
      await explainEmpty(context, async (count) => {
        const excluded = exclude.length === 0 ? 0 : await count({ directory: start, globs });
        if (excluded > 0)
          return `[0 matches; excludeGlobs left out all ${excluded} files that the globs mean]`;
        const wider = globs.map(deeper);
        const more = await count({ directory: start, globs: wider, exclude });
        return more > 0 ? `[0 matches; ${wider.join(', ')} would find ${more}]` : undefined;
      });
    }
    return { ...found, paths: await pathsBelow(start, found.entries, context) };
  },
  render: (found, { max }, note) =>
    pathsResult(found, {
      entries: 'files',
      instead: 'search a directory inside, or with narrower globs',
      note,
      notes: found.truncated ? [`[truncated: the first ${max} files; raise max, or 0 for all]`] : [],
    }),
});
