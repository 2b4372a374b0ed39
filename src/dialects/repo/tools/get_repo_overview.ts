import { basename } from 'node:path';
import type { Overview } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { repoEntries } from '../entries.ts';
import { jsonResult, skipped } from '../json-result.ts';
import { overviewTree, upperLevelsFirst } from '../overview-tree.ts';
import { searchCall } from '../search-call.ts';

const CACHES = ['.next', '__pycache__', '.cache', 'coverage', '.nyc_output'];
const excludedDirectories = ['node_modules', '.git', 'dist', 'build', ...CACHES];
const MAX_LANGUAGES = 15;

export const getRepoOverview = defineTool({
  name: 'get_repo_overview',
  title: 'Repository overview',
  description:
    'Get a high-level overview of the repository: its directory tree, and statistics with file counts and languages by extension. Skips node_modules, .git, build output and caches.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      max_depth: {
        type: 'integer',
        minimum: 1,
        maximum: 5,
        default: 2,
        description: 'Maximum directory depth of the tree; statistics cover everything',
      },
      include_stats: {
        type: 'boolean',
        default: true,
        description: 'Include file counts and language statistics',
      },
    },
  },
  async run({ max_depth, include_stats }, context) {
    const { found, stats } = await overviewOf(context, max_depth, include_stats);
    const entries = await upperLevelsFirst(await repoEntries(context, found.entries, ''), context.signal);
    const root = basename(context.engine.roots[0]!.path) || '/';
    return { root, entries, stats, unreadable: new Set(found.unreadable) };
  },
  async render({ root, entries, stats, unreadable }, { max_depth }) {
    const { structure, truncated } = await overviewTree(root, entries, max_depth, unreadable);
    return jsonResult({
      root,
      structure,
      ...(stats && { stats }),
      ...(truncated && { truncated }),
      ...skipped('skipped_unreadable', unreadable.size),
    });
  },
});

/** Statistics cover everything; without them only the levels of the tree are listed. */
async function overviewOf(context: ToolContext, depth: number, withStatistics: boolean) {
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
