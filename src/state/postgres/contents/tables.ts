/** The tables of the content store. */
import type { Database } from '../connections/database.ts';

export function contentTables(
  database: Database,
): Record<'contents' | 'chunks' | 'uploads' | 'usage' | 'ids', string> {
  return {
    contents: database.table('contents'),
    chunks: database.table('content_chunks'),
    uploads: database.table('uploads'),
    usage: database.table('usage'),
    ids: database.table('content_ids'),
  };
}
