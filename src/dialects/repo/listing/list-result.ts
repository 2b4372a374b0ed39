/** What list_files answers: as many entries as fit into one result. */
import type { ToolResult } from '../../dialect.ts';
import { timestamp } from '../../results/timestamp.ts';
import { itemsThatFit, jsonResult, skipped } from '../json-result.ts';
import type { RepoEntry } from './entries.ts';
import type { Listed } from './list-entries.ts';

const MAX_ENTRIES = 500;

export async function listResult({ entries, skippedUnreadable }: Listed): Promise<ToolResult> {
  const files = await itemsThatFit(entries.slice(0, MAX_ENTRIES).map(fileEntry));
  return jsonResult({
    files,
    total_count: entries.length,
    truncated: entries.length > files.length,
    ...skipped('skipped_unreadable', skippedUnreadable),
  });
}

function fileEntry({ path, type, size, modifiedMs }: RepoEntry) {
  if (size === undefined || modifiedMs === undefined) return { path, type };
  return { path, type, size, modified_at: timestamp(modifiedMs) };
}
