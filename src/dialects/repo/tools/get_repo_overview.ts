import { basename } from 'node:path';
import { defineTool, hints } from '../../dialect.ts';
import { jsonResult, skipped } from '../json-result.ts';
import { repoEntries } from '../listing/entries.ts';
import { overviewOf } from '../listing/overview.ts';
import { overviewTree, upperLevelsFirst } from '../listing/overview-tree.ts';

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
