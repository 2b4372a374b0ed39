import { defineTool, hints } from '../../dialect.ts';
import { timestamp } from '../../results/timestamp.ts';
import { itemsThatFit, jsonResult, skipped } from '../json-result.ts';
import type { RepoEntry } from '../listing/entries.ts';
import { listEntries } from '../listing/list-entries.ts';

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
  run: listEntries,
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
