import { defineTool, hints, text } from '../../dialect.ts';
import { deeper, inAMoment } from '../../empty-search.ts';
import { linesThatFit } from '../../result-size.ts';
import { exclusionsIn, pathsBelow, searchCall, startDirectory, unreadableNote } from '../searching.ts';

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
      globs: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Glob patterns relative to directory',
      },
      excludeGlobs: { type: 'array', items: { type: 'string' }, description: 'Exclusion globs' },
      max: { type: 'integer', minimum: 0, default: 1000, description: 'Result cap (0 = unlimited)' },
    },
    required: ['directory', 'globs'],
  },
  async run({ directory, globs, excludeGlobs, max }, context) {
    const start = await startDirectory(directory, context);
    const exclude = exclusionsIn(start, excludeGlobs, context);
    const query = { globs, exclude, max: max === 0 ? undefined : max };
    const found = await context.engine.search.glob(start, query, searchCall(context));
    if (found.entries.length === 0) {
      const why = await inAMoment(context, async (count) => {
        const excluded = exclude.length === 0 ? 0 : await count({ directory: start, globs });
        if (excluded > 0)
          return `[0 matches; excludeGlobs left out all ${excluded} files that the globs mean]`;
        const wider = globs.map(deeper);
        const more = await count({ directory: start, globs: wider, exclude });
        return more > 0 ? `[0 matches; ${wider.join(', ')} would find ${more}]` : undefined;
      });
      if (why !== undefined) context.note(why);
    }
    return { ...found, paths: await pathsBelow(start, found.entries, context) };
  },
  render({ paths, truncated, skippedUnreadable }, { max }, note) {
    const outcome = linesThatFit(paths, (shown) =>
      note(
        `[cut: the first ${shown} of ${paths.length} files, more do not fit into one answer; search a directory inside, or with narrower globs]`,
      ),
    );
    const notes = [
      ...(truncated ? [`[truncated: the first ${max} files; raise max, or 0 for all]`] : []),
      ...unreadableNote(skippedUnreadable),
    ];
    return { content: [text(outcome || '(no matches found)'), ...notes.map(text)] };
  },
});
