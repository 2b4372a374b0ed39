import { fail } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { inAMoment } from '../../empty-search.ts';
import { directoriesFirst, type RepoEntry, repoEntries } from '../entries.ts';
import { globsBelow } from '../globs.ts';
import { itemsThatFit, jsonResult, skipped, timestamp } from '../json-result.ts';
import { pathInside } from '../paths.ts';
import { searchCall } from '../searching.ts';

const MOST_ENTRIES = 500;

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'List files and directories in the repository: paths, types, sizes and modification dates. Directories come first. With a pattern only files are listed.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      directory: {
        type: 'string',
        default: '.',
        description: 'Directory path relative to the repository root',
      },
      pattern: {
        type: 'string',
        description: 'Glob to filter files: "*.ts" for names at any depth, "src/**/*.ts" for paths',
      },
      max_depth: {
        type: 'integer',
        minimum: 1,
        maximum: 10,
        default: 3,
        description: 'Maximum directory depth',
      },
      include_hidden: {
        type: 'boolean',
        default: false,
        description: 'Include hidden files and directories',
      },
    },
  },
  async run({ directory, pattern, max_depth, include_hidden }, context) {
    const { sent, inside } = await directoryAt(directory, context);
    const include = pattern === undefined ? undefined : await globsBelow(context.engine, pattern, inside);
    const query = { include, hidden: include_hidden, maxDepth: max_depth, facts: true };
    const found = await context.engine.search.walk(sent, query, searchCall(context));
    // What cannot be read below the directory shows as an entry of it; where nothing shows, it is the directory.
    if (found.entries.length === 0 && found.skippedUnreadable > 0) {
      fail({ kind: 'permission', path: sent, action: 'list' });
    }
    const all = await repoEntries(context, found.entries, inside);
    const entries = pattern === undefined ? all : all.filter(({ type }) => type === 'file');
    if (entries.length === 0) await explainNothing(context, sent, { include, max_depth, include_hidden });
    const sorted = await directoriesFirst(entries, context.signal);
    return { entries: sorted, skippedUnreadable: found.skippedUnreadable };
  },
  render({ entries, skippedUnreadable }) {
    const files = itemsThatFit(entries.slice(0, MOST_ENTRIES).map(fileEntry));
    return jsonResult({
      files,
      total_count: entries.length,
      truncated: entries.length > files.length,
      ...skipped('skipped_unreadable', skippedUnreadable),
    });
  },
});

interface Filters {
  include: readonly string[] | undefined;
  max_depth: number;
  include_hidden: boolean;
}

/** Says so when the pattern, the depth or the hidden names are why nothing is listed. */
async function explainNothing(context: ToolContext, directory: string, filters: Filters): Promise<void> {
  const { include: globs = ['**'], max_depth, include_hidden } = filters;
  const why = await inAMoment(context, async (count) => {
    const all = await count({ directory, globs: ['**'] });
    if (all === 0) return undefined;
    const deep = await count({ directory, globs, hidden: include_hidden });
    if (deep > 0) return `[0 files within max_depth ${max_depth}; ${deep} lie deeper]`;
    const hidden = include_hidden ? 0 : await count({ directory, globs });
    if (hidden > 0) return `[0 files; include_hidden: true finds ${hidden}]`;
    return filters.include && `[0 files; the pattern chose none of ${all}]`;
  });
  if (why !== undefined) context.note(why);
}

/** As it was sent, for the engine and its errors, and from the repository's root, for the paths in the answer. */
async function directoryAt(directory: string, { engine }: ToolContext) {
  const sent = directory === '' ? '.' : directory;
  const inside = await pathInside(engine, sent);
  const { type } = await engine.files.info(sent);
  if (type !== 'directory') fail({ kind: 'not-a-directory', path: sent });
  return { sent, inside };
}

function fileEntry({ path, type, size, modifiedMs }: RepoEntry) {
  if (size === undefined || modifiedMs === undefined) return { path, type };
  return { path, type, size, modified_at: timestamp(modifiedMs) };
}
