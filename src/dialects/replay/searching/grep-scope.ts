/** Chooses the files that grep_files searches, and explains why the search may have found nothing. */
import { dirname } from 'node:path';
import { fail, type Sources } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import {
  deeper,
  explainNoMatches,
  type FileSelection,
  THIS_CASE,
  type WiderSearch,
} from '../../empty-search.ts';
import { homeExpanded, startOf } from './search-scope.ts';

export interface ScopeArguments {
  directory?: string;
  globs?: string[];
  excludeGlobs?: string[];
}

/** The directory, the globs or both say where to search; the directory may also be a single file. */
export async function grepScope(
  { directory, globs = [], excludeGlobs }: ScopeArguments,
  context: ToolContext,
): Promise<Sources> {
  const { search } = context.engine;
  const wanted = globs.length > 0 ? homeExpanded(globs, context) : undefined;
  const excluded = homeExpanded(excludeGlobs, context);
  if (directory === undefined && wanted === undefined) {
    const message = 'directory or globs is needed, to say where to search';
    return fail({ kind: 'bad-arguments', problems: [{ field: 'directory', missing: true, message }] });
  }
  const { path, isDirectory } = await startOf(directory ?? '.', context);
  if (isDirectory) return search.sourcesOf(path, wanted, excluded);
  if (wanted) return fail({ kind: 'not-a-directory', path: directory! });
  const exclude = () => search.exclusions(dirname(path), excluded);
  return { sources: [{ directory: path, include: undefined, exclude }], outside: [] };
}

type GrepAllQuery = Parameters<ToolContext['engine']['search']['grepAll']>[1];

/** Adds a note when the globs, the exclusions or the case of letters may be why nothing matched. */
export async function explainNoGrepMatches(
  args: ScopeArguments & { caseInsensitive: boolean },
  scope: Sources,
  query: GrepAllQuery,
  context: ToolContext,
): Promise<void> {
  const { search } = context.engine;
  const anyCase: WiderSearch = {
    bounds: THIS_CASE,
    option: 'caseInsensitive: true',
    search: (call) => search.grepAll(scope.sources, { ...query, flags: 'i', maxMatches: 1 }, call),
  };
  const filter = await filterOf(args, scope, context);
  await explainNoMatches(context, filter, args.caseInsensitive ? [] : [anyCase]);
}

async function filterOf(
  { directory = '.', globs = [], excludeGlobs = [] }: ScopeArguments,
  { sources, outside }: Sources,
  context: ToolContext,
) {
  if (globs.length + excludeGlobs.length === 0) return undefined;
  const { path, isDirectory } = await startOf(directory, context);
  if (!isDirectory) return undefined;
  const wider = homeExpanded(globs, context)
    .filter((glob) => !outside.includes(glob))
    .map(deeper);
  const excluded = homeExpanded(excludeGlobs, context);
  return {
    name: filterName(globs, excludeGlobs),
    chosen: selectionsOf(sources),
    all: { directory: path, globs: ['**'] },
    wider: {
      globs: wider,
      chosen: selectionsOf(context.engine.search.sourcesOf(path, wider, excluded).sources),
    },
  };
}

function filterName(globs: readonly string[], excludeGlobs: readonly string[]): string {
  if (globs.length === 0) return 'excludeGlobs';
  return excludeGlobs.length === 0 ? 'the globs' : 'globs and excludeGlobs';
}

function selectionsOf(sources: Sources['sources']): FileSelection[] {
  return sources.map(({ directory, include, exclude }) => ({
    directory,
    globs: include ?? ['**'],
    exclude: exclude(),
  }));
}
