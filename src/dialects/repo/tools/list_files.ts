import { fail } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { timestamp } from '../../timestamp.ts';
import { directoriesFirst, type RepoEntry, repoEntries } from '../entries.ts';
import { globsBelow } from '../globs.ts';
import { itemsThatFit, jsonResult, skipped } from '../json-result.ts';
import { explainEmptyList, listScope } from '../list-scope.ts';
import { searchCall } from '../search-call.ts';

const MAX_ENTRIES = 500;

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
    const { sent, inside } = await listScope(directory, context);
    const include = pattern === undefined ? undefined : await globsBelow(context.engine, pattern, inside);
    const query = { include, hidden: include_hidden, maxDepth: max_depth, facts: true };
    const found = await context.engine.search.walk(sent, query, searchCall(context));
    // An unreadable directory below this one shows as an entry. No entry at all: this one is unreadable.
    if (found.entries.length === 0 && found.skippedUnreadable > 0) {
      fail({ kind: 'permission', path: sent, action: 'list' });
    }
    const all = await repoEntries(context, found.entries, inside);
    const entries = pattern === undefined ? all : all.filter(({ type }) => type === 'file');
    if (entries.length === 0) await explainEmptyList(context, sent, { include, max_depth, include_hidden });
    const sorted = await directoriesFirst(entries, context.signal);
    return { entries: sorted, skippedUnreadable: found.skippedUnreadable };
  },
  async render({ entries, skippedUnreadable }) {
    const files = await itemsThatFit(entries.slice(0, MAX_ENTRIES).map(fileEntry));
    return jsonResult({
      files,
      total_count: entries.length,
      truncated: entries.length > files.length,
      ...skipped('skipped_unreadable', skippedUnreadable),
    });
  },
});

function fileEntry({ path, type, size, modifiedMs }: RepoEntry) {
  if (size === undefined || modifiedMs === undefined) return { path, type };
  return { path, type, size, modified_at: timestamp(modifiedMs) };
}
