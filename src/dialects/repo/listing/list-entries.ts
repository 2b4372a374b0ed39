/** What list_files lists, and why the list may be empty. */
import { fail } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { explainEmpty } from '../../empty-search.ts';
import { pathInside } from '../paths.ts';
import { searchCall } from '../search-call.ts';
import { directoriesFirst, type RepoEntry, repoEntries } from './entries.ts';
import { globsBelow } from './globs.ts';

interface ListArguments {
  directory: string;
  pattern?: string;
  max_depth: number;
  include_hidden: boolean;
}

export interface Listed {
  entries: readonly RepoEntry[];
  skippedUnreadable: number;
}

export async function listEntries(args: ListArguments, context: ToolContext): Promise<Listed> {
  const { directory, pattern, max_depth, include_hidden } = args;
  const { sent, inside } = await listScope(directory, context);
  const include = pattern === undefined ? undefined : await globsBelow(context.engine, pattern, inside);
  const query = { include, hidden: include_hidden, maxDepth: max_depth, facts: true };
  const found = await context.engine.search.walk(sent, query, searchCall(context));
  // An unreadable directory below this one would show as an entry. No entry at all means that this one is unreadable.
  if (found.entries.length === 0 && found.skippedUnreadable > 0) {
    fail({ kind: 'permission', path: sent, action: 'list' });
  }
  const all = await repoEntries(context, found.entries, inside);
  const entries = pattern === undefined ? all : all.filter(({ type }) => type === 'file');
  if (entries.length === 0) await explainEmptyList(context, sent, { include, max_depth, include_hidden });
  const sorted = await directoriesFirst(entries, context.signal);
  return { entries: sorted, skippedUnreadable: found.skippedUnreadable };
}

interface ListScope {
  /** The directory as the engine and its errors name it. */
  sent: string;
  /** The directory relative to the repository's root, for the paths in the result. */
  inside: string;
}

async function listScope(directory: string, { engine }: ToolContext): Promise<ListScope> {
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

/** Adds a note when the pattern, the depth or hidden names are why nothing is listed. */
function explainEmptyList(context: ToolContext, directory: string, filters: ListFilters): Promise<void> {
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
