/** What get_repo_overview counts, and which directories it skips. */
import type { Overview } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { searchCall } from '../search-call.ts';

const CACHES = ['.next', '__pycache__', '.cache', 'coverage', '.nyc_output'];
const excludedDirectories = ['node_modules', '.git', 'dist', 'build', ...CACHES];
const MAX_LANGUAGES = 15;

/** Statistics cover the whole repository. Without them only the levels of the tree are listed. */
export async function overviewOf(context: ToolContext, depth: number, withStatistics: boolean) {
  const { search } = context.engine;
  const call = searchCall(context);
  if (!withStatistics) {
    const query = { excludedDirectories, maxDepth: depth, facts: true };
    return { found: await search.walk('.', query, call), stats: undefined };
  }
  const found = await search.overview('.', { excludedDirectories, depth }, call);
  return { found, stats: statisticsOf(found) };
}

function statisticsOf({ files, directories, bytes, extensions }: Overview) {
  return {
    total_files: files,
    total_directories: directories,
    total_size: bytes,
    languages: extensions
      .slice(0, MAX_LANGUAGES)
      .map(({ extension, files: count, bytes: size }) => ({ extension, count, bytes: size })),
  };
}
