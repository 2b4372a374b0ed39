/** What grep_files searches, and how it shows what it found. */
import { basename, dirname, join } from 'node:path';
import { type FileMatches, type FoundLine, type GrepResult, lineHash } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { onOneLine } from '../one-line.ts';
import { budgetOf, grouped, nextCall, pageOf } from './budget.ts';
import { pathOf } from './paths.ts';

export interface GrepArguments {
  pattern: string;
  path: string;
  glob?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  context?: number;
  output: 'content' | 'files' | 'count';
  limit: number;
  offset?: number;
  anchors?: boolean;
  includeIgnored?: boolean;
}

/** A longer line is shown around its match. */
const LONGEST_LINE = 2000;
/** Enough to count matches of whole trees by file. */
const MOST_MATCHES = 1_000_000;

export async function grep(args: GrepArguments, context: ToolContext): Promise<string> {
  const { engine, signal } = context;
  const { offset = 0, limit } = args;
  const byFile = args.output !== 'content';
  const { path, type } = await engine.files.info(await pathOf(args.path, context));
  const result = await engine.search.grep(
    path,
    {
      regex: args.literal ? args.pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : args.pattern,
      flags: args.ignoreCase ? 'i' : '',
      include: args.glob === undefined ? undefined : globsOf(args.glob),
      ignoreFiles: !args.includeIgnored,
      contextLines: byFile ? 0 : (args.context ?? 0),
      maxMatches: byFile ? MOST_MATCHES : offset + limit,
      // An anchor is the hash of the whole line.
      maxLineLength: args.anchors ? undefined : LONGEST_LINE,
      countAll: true,
    },
    { signal },
  );
  context.explain?.(`plan: ${result.plan.plan} (${result.plan.why})`);
  const directory = type === 'directory' ? path : dirname(path);
  const files =
    type === 'directory' ? result.files : result.files.map((file) => ({ ...file, path: basename(path) }));
  const head = `In ${onOneLine(directory)}:`;
  const skipped = notesOf(result);
  if (result.matches === 0) return [`No matches found in ${onOneLine(path)}`, ...skipped].join('\n');
  const found = { ...result, files };
  const body = byFile ? await filePage(found, args, directory, context) : linePage(found, args, context);
  return [head, ...body, ...skipped].join('\n');
}

/** As in .gitignore: without a slash at any depth, and a directory means everything in it. */
function globsOf(glob: string): string[] {
  const bare = glob.replace(/^\//, '').replace(/\/$/, '');
  const isAnywhere = !glob.replace(/\/$/, '').includes('/');
  const at = isAnywhere ? `**/${bare}` : bare;
  return glob.endsWith('/') ? [`${at}/**`] : [at, `${at}/**`];
}

function notesOf({ skippedLongLines, skippedUnreadable }: GrepResult): string[] {
  return [
    ...(skippedLongLines > 0 ? [`[${skippedLongLines} lines are too long to search]`] : []),
    ...(skippedUnreadable > 0 ? [`[${skippedUnreadable} files or directories could not be read]`] : []),
  ];
}

/** Matching lines behind the first `offset` ones, each file's path once above its lines. */
function linePage(result: GrepResult, args: GrepArguments, context: ToolContext): string[] {
  const { offset = 0 } = args;
  const blocks = withoutFirst(result.files, offset).flatMap((file) => blocksOf(file, args));
  const shown: string[] = [];
  let [room, matches, path] = [budgetOf(context), 0, ''];
  for (const block of blocks) {
    const heading = block.path === path ? (args.context ? ['--'] : []) : [block.path];
    const lines = [...heading, ...block.lines];
    room -= lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (room < 0 && matches > 0) break;
    shown.push(...lines);
    matches += block.matches;
    path = block.path;
  }
  const left = result.totalMatches - offset - matches;
  if (left <= 0) return shown;
  return [
    ...shown,
    `[${grouped(left)} more matching lines; ${nextCall('grep_files', { ...asSent(args), offset: offset + matches })}]`,
  ];
}

interface Block {
  path: string;
  lines: string[];
  matches: number;
}

/** A match with the lines around it; neighbours whose lines touch stay together only as far as one block goes. */
function blocksOf(file: FileMatches, { anchors = false, context = 0 }: GrepArguments): Block[] {
  const path = onOneLine(file.path);
  const blocks: Block[] = [];
  let last: number | undefined;
  let open: Block | undefined;
  for (const line of file.lines) {
    const touches = last !== undefined && line.number === last + 1;
    if (!open || (context > 0 ? !touches : true)) {
      open = { path, lines: [], matches: 0 };
      blocks.push(open);
    }
    open.lines.push(lineText(line, anchors));
    if (line.match) open.matches++;
    last = line.number;
  }
  return blocks;
}

function lineText({ number, text, match }: FoundLine, anchors: boolean): string {
  if (anchors) return `${number}#${lineHash(text)}| ${text}`;
  return `${number}${match ? ':' : '-'} ${text}`;
}

/** Without the first so many matching lines, and what only stands around them. */
function withoutFirst(files: readonly FileMatches[], offset: number): FileMatches[] {
  let skip = offset;
  return files.flatMap((file) => {
    const matches = file.lines.filter(({ match }) => match);
    if (matches.length <= skip) {
      skip -= matches.length;
      return [];
    }
    const from = skip === 0 ? 0 : matches[skip - 1]!.number + 1;
    skip = 0;
    return [{ ...file, lines: file.lines.filter(({ number }) => number >= from) }];
  });
}

/** Files with matches: the newest first, or each with its count by path. */
async function filePage(
  result: GrepResult,
  args: GrepArguments,
  directory: string,
  context: ToolContext,
): Promise<string[]> {
  const { offset = 0, limit, output } = args;
  const files = output === 'files' ? await newestFirst(result.files, directory, context) : result.files;
  const lines = files.map(({ path, lines }) =>
    output === 'files' ? onOneLine(path) : `${onOneLine(path)}: ${lines.length}`,
  );
  const page = pageOf(lines.slice(0, offset + limit), offset, budgetOf(context));
  const left = lines.length - page.end;
  if (left <= 0) return [...page.lines];
  return [
    ...page.lines,
    `[${grouped(left)} more files; ${nextCall('grep_files', { ...asSent(args), offset: page.end })}]`,
  ];
}

async function newestFirst(
  files: readonly FileMatches[],
  directory: string,
  { engine }: ToolContext,
): Promise<FileMatches[]> {
  const times = new Map<FileMatches, bigint>();
  for (const file of files)
    times.set(file, (await engine.files.peek(join(directory, file.path)))?.mtimeNs ?? 0n);
  return [...files].sort((a, b) => {
    const [first, second] = [times.get(a)!, times.get(b)!];
    return first === second ? (a.path < b.path ? -1 : 1) : first > second ? -1 : 1;
  });
}

/** Without what is there by default. */
function asSent(args: GrepArguments): Record<string, unknown> {
  const { output, limit, path, ...rest } = args;
  return {
    ...rest,
    ...(path !== '.' && { path }),
    ...(output !== 'content' && { output }),
    ...(limit !== 200 && { limit }),
  };
}
