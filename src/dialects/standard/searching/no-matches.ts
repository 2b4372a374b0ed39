/** Explains why grep_files found nothing, when what it left out may be the cause. */
import { basename } from 'node:path';
import type { GrepQuery } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { explainNoMatches, type SearchFilter, THIS_CASE, type WiderSearch } from '../../empty-search.ts';

/** Reads the glob as .gitignore does: without a slash it matches at any depth, and a directory means all in it. */
export function globsOf(glob: string): string[] {
  const bare = glob.replace(/^\//, '').replace(/\/$/, '');
  const isAnywhere = !glob.replace(/\/$/, '').includes('/');
  const at = isAnywhere ? `**/${bare}` : bare;
  return glob.endsWith('/') ? [`${at}/**`] : [at, `${at}/**`];
}

/** `glob` is undefined where a single file was searched. */
export function explainNothing(
  path: string,
  glob: string | undefined,
  query: GrepQuery,
  context: ToolContext,
): Promise<void> {
  const first = { ...query, contextLines: 0, maxMatches: 1, countAll: false, summary: undefined };
  const searchWith = (other: Partial<GrepQuery>): WiderSearch['search'] => {
    return (call) => context.engine.search.grep(path, { ...first, ...other }, call);
  };
  const anyCase = { bounds: THIS_CASE, option: 'ignoreCase: true', search: searchWith({ flags: 'i' }) };
  const ignored = {
    bounds: 'outside what .gitignore names',
    option: 'includeIgnored: true',
    search: searchWith({ ignoreFiles: false }),
  };
  return explainNoMatches(context, glob === undefined ? undefined : filterOf(path, glob, query), [
    ...(query.flags === 'i' ? [] : [anyCase]),
    ...(query.ignoreFiles ? [ignored] : []),
  ]);
}

function filterOf(directory: string, glob: string, { ignoreFiles }: GrepQuery): SearchFilter {
  const below = (globs: string[]) => ({ directory, ignoreFiles, globs });
  const name = basename(glob);
  return {
    name: 'the glob',
    chosen: [below(globsOf(glob))],
    all: below(['**']),
    wider: name === glob ? undefined : { globs: [name], chosen: [below(globsOf(name))] },
  };
}
