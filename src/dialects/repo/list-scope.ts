/** Which directory list_files lists, and why the list may be empty. */
import { fail } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { explainEmpty } from '../empty-search.ts';
import { pathInside } from './paths.ts';

interface ListScope {
  /** As the engine and its errors name it. */
  sent: string;
  /** From the repository's root, for the paths in the result. */
  inside: string;
}

export async function listScope(directory: string, { engine }: ToolContext): Promise<ListScope> {
  const sent = directory === '' ? '.' : directory;
  const inside = await pathInside(engine, sent);
  const { type } = await engine.files.info(sent);
  if (type !== 'directory') fail({ kind: 'not-a-directory', path: sent });
  return { sent, inside };
}

interface ListFilters {
  include: readonly string[] | undefined;
  max_depth: number;
  include_hidden: boolean;
}

/** Notes when the pattern, the depth or hidden names are why nothing is listed. */
export function explainEmptyList(
  context: ToolContext,
  directory: string,
  filters: ListFilters,
): Promise<void> {
  const { include: globs = ['**'], max_depth, include_hidden } = filters;
  return explainEmpty(context, async (count) => {
    const all = await count({ directory, globs: ['**'] });
    if (all === 0) return undefined;
    const deep = await count({ directory, globs, hidden: include_hidden });
    if (deep > 0) return `[0 files within max_depth ${max_depth}; ${deep} lie deeper]`;
    const hidden = include_hidden ? 0 : await count({ directory, globs });
    if (hidden > 0) return `[0 files; include_hidden: true finds ${hidden}]`;
    return filters.include && `[0 files; the pattern chose none of ${all}]`;
  });
}
