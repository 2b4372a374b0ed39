import { defineTool, hints, text } from '../../dialect.ts';
import { inAMoment, MOMENT } from '../../empty-search.ts';
import { linesThatFit } from '../../result-size.ts';
import { exclusionsIn, pathsBelow, searchCall, startDirectory, unreadableNote } from '../searching.ts';

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
      excludeGlobs: { type: 'array', items: { type: 'string' }, description: 'Glob exclusions' },
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
      const why = await inAMoment(context, async () => {
        if (exclude.length > 0) {
          const kept = await context.engine.search.names(start, { contains: nameContains, max: 1 }, MOMENT);
          if (kept.entries.length > 0) return '[0 matches; without excludeGlobs there are some]';
        }
        return /[*?[\]{}]/.test(nameContains)
          ? '[0 matches; nameContains is a literal text, glob_search takes globs]'
          : undefined;
      });
      if (why !== undefined) context.note(why);
    }
    return { ...found, paths: await pathsBelow(start, found.entries, context) };
  },
  render({ paths, skippedUnreadable }, _, note) {
    const outcome = linesThatFit(paths, (shown) =>
      note(
        `[cut: the first ${shown} of ${paths.length} paths, more do not fit into one answer; search a directory inside, or for a longer name]`,
      ),
    );
    const notes = unreadableNote(skippedUnreadable);
    return { content: [text(outcome || '(no matches found)'), ...notes.map(text)] };
  },
});
