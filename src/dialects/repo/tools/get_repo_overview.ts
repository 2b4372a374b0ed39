import { basename } from 'node:path';
import { Breathing, type Overview, sortedInTurns } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { directoriesFirst, type RepoEntry, repoEntries } from '../entries.ts';
import { itemsThatFit, jsonResult, skipped } from '../json-result.ts';
import { searchCall } from '../searching.ts';

const EXCLUDED_DIRECTORIES = [
  'node_modules',
  '.git',
  '.next',
  'dist',
  'build',
  '__pycache__',
  '.cache',
  'coverage',
  '.nyc_output',
];
const MOST_LANGUAGES = 15;
/** More would be no overview: the upper levels come first. */
const MOST_NODES = 5_000;

interface DirectoryNode {
  name: string;
  type: 'file' | 'directory';
  size?: number;
  /** Absent where the content was not looked at. */
  children?: DirectoryNode[];
}

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
    const { found, stats } = await survey(context, max_depth, include_stats);
    const entries = await repoEntries(context, found.entries, '');
    const root = basename(context.engine.roots[0]!.path) || '/';
    const sorted = await upperLevelsFirst(entries, context.signal);
    return { root, entries: sorted, stats, unreadable: new Set(found.unreadable) };
  },
  render({ root, entries, stats, unreadable }, { max_depth }) {
    const nodes = entries.slice(0, MOST_NODES).map(({ path, type }) => [path, type, PUNCTUATION]);
    const shown = itemsThatFit(nodes).length;
    return jsonResult({
      root,
      structure: treeOf(root, entries, max_depth, unreadable, shown),
      ...(stats === undefined ? {} : { stats }),
      ...(entries.length > shown ? { truncated: true } : {}),
      ...skipped('skipped_unreadable', unreadable.size),
    });
  },
});

/** What a node takes besides its name and type is no longer than this. */
const PUNCTUATION = '{"name":,"type":,"size":9007199254740991,"children":[]}';

/** Without statistics only the levels that are shown need a look. */
async function survey(context: ToolContext, depth: number, withStatistics: boolean) {
  const { search } = context.engine;
  const call = searchCall(context);
  const excludedDirectories = EXCLUDED_DIRECTORIES;
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
      .slice(0, MOST_LANGUAGES)
      .map(({ extension, files: count, bytes: size }) => ({ extension, count, bytes: size })),
  };
}

/** Parents before what is in them, and in each directory its directories before its files. */
async function upperLevelsFirst(entries: readonly RepoEntry[], signal: AbortSignal): Promise<RepoEntry[]> {
  const sorted = await directoriesFirst(entries, signal);
  return sortedInTurns(sorted, new Breathing(signal), (a, b) => depthOf(a) - depthOf(b));
}

/** Where some of the entries are left out, a directory of which none is shown is not told to be empty. */
function treeOf(
  name: string,
  entries: readonly RepoEntry[],
  maxDepth: number,
  unreadable: ReadonlySet<string>,
  most: number,
): DirectoryNode {
  const shown = entries.slice(0, most);
  const root: DirectoryNode = { name, type: 'directory', children: [] };
  const open = new Map([['', root]]);
  for (const entry of shown) {
    const { path, type, size, linked } = entry;
    const slash = path.lastIndexOf('/');
    const node: DirectoryNode = {
      name: path.slice(slash + 1),
      type,
      ...(size === undefined ? {} : { size }),
    };
    const parent = open.get(path.slice(0, Math.max(0, slash)));
    if (parent === undefined) continue;
    parent.children ??= [];
    parent.children.push(node);
    if (type === 'file' || linked || depthOf(entry) === maxDepth || unreadable.has(path)) continue;
    if (shown.length === entries.length) node.children = [];
    open.set(path, node);
  }
  return root;
}

function depthOf({ path }: RepoEntry): number {
  return path.split('/').length;
}
