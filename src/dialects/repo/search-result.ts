/** What search_files answers: each match with the lines around it, as many as one result holds. */
import { type GrepResult, matchesWithContext } from '../../engine/index.ts';
import type { ToolResult } from '../dialect.ts';
import { itemsThatFit, jsonResult, skipped } from './json-result.ts';

export async function searchResult(found: GrepResult, ms: number, contextLines: number): Promise<ToolResult> {
  const all = found.files.flatMap((file) =>
    matchesWithContext(file, contextLines).map(({ line, before, after }) => ({
      path: file.path,
      line_number: line.number,
      line_content: line.text,
      context: { before, after },
    })),
  );
  const matches = await itemsThatFit(all);
  return jsonResult({
    matches,
    total_matches: found.totalMatches,
    files_searched: found.filesSearched,
    truncated: found.truncated || matches.length < all.length,
    duration_ms: ms,
    ...skipped('skipped_unreadable', found.skippedUnreadable),
    ...skipped('skipped_long_lines', found.skippedLongLines),
  });
}
