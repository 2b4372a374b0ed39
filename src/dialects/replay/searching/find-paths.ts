/** What glob_search and search_files find, and why they may have found nothing. */
import { requireFewGlobs } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { deeper, explainEmpty, secondSearch } from '../../empty-search.ts';
import { exclusionsIn, pathsBelow, searchCall, startDirectory } from './search-scope.ts';

interface GlobArguments {
  directory: string;
  globs: string[];
  excludeGlobs?: string[];
  max: number;
}

export async function findByGlob(
  { directory, globs, excludeGlobs, max }: GlobArguments,
  context: ToolContext,
) {
  requireFewGlobs(globs);
  const start = await startDirectory(directory, context);
  const exclude = exclusionsIn(start, excludeGlobs, context);
  const query = { globs, exclude, max: max === 0 ? undefined : max };
  const found = await context.engine.search.glob(start, query, searchCall(context));
  if (found.entries.length === 0) await explainNoGlobMatches(start, globs, exclude, context);
  return { ...found, paths: await pathsBelow(start, found.entries, context) };
}

/** Adds a note when the exclusions left everything out, or when globs that reach deeper would find something. */
function explainNoGlobMatches(
  directory: string,
  globs: string[],
  exclude: string[],
  context: ToolContext,
): Promise<void> {
  return explainEmpty(context, async (count) => {
    const excluded = exclude.length === 0 ? 0 : await count({ directory, globs });
    if (excluded > 0) return `[0 matches; excludeGlobs left out all ${excluded} files that the globs mean]`;
    const wider = globs.map(deeper);
    const more = await count({ directory, globs: wider, exclude });
    return more > 0 ? `[0 matches; ${wider.join(', ')} would find ${more}]` : undefined;
  });
}

interface NameArguments {
  directory: string;
  nameContains: string;
  excludeGlobs?: string[];
}

export async function findByName(
  { directory, nameContains, excludeGlobs }: NameArguments,
  context: ToolContext,
) {
  const start = await startDirectory(directory, context);
  const exclude = exclusionsIn(start, excludeGlobs, context);
  const query = { contains: nameContains, exclude };
  const found = await context.engine.search.names(start, query, searchCall(context));
  if (found.entries.length === 0) await explainNoNameMatches(start, nameContains, exclude, context);
  return { ...found, paths: await pathsBelow(start, found.entries, context) };
}

/** Adds a note when the exclusions left everything out, or when the name looks like a glob. */
function explainNoNameMatches(
  directory: string,
  nameContains: string,
  exclude: string[],
  context: ToolContext,
): Promise<void> {
  return explainEmpty(context, async () => {
    if (exclude.length > 0) {
      const query = { contains: nameContains, max: 1 };
      const { entries } = await context.engine.search.names(directory, query, secondSearch);
      if (entries.length > 0) return '[0 matches; without excludeGlobs there are some]';
    }
    return /[*?[\]{}]/.test(nameContains)
      ? '[0 matches; nameContains is a literal text, glob_search takes globs]'
      : undefined;
  });
}
