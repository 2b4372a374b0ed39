/** What grep_files searches, and how it shows what it found. */
import { basename, dirname, join } from 'node:path';
import { grouped } from '../../../display/grouped.ts';
import { truncate } from '../../../display/truncate.ts';
import { truncateToBytes } from '../../../display/truncate-bytes.ts';
import {
  type FileMatches,
  type FoundLine,
  type GrepQuery,
  type GrepResult,
  lineHash,
} from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { escapeRegex } from '../../escape-regex.ts';
import { nextCall } from '../../results/next-call.ts';
import { onOneLine } from '../../results/one-line.ts';
import { budgetOf, offsetTooLarge, pageOf } from '../../results/token-budget.ts';
import { pathOf } from '../paths.ts';
import { explainNothing, globsOf } from './no-matches.ts';

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

/** Only the part around the match is shown of a longer line. */
const LONGEST_LINE = 2000;
/** Enough for whole trees. */
const MOST_FILES = 1_000_000;

/** A page further down the matches takes two searches: the first only counts, and sends no lines between threads. */
const FAR = 2000;

const SUMMARIES = { content: undefined, files: 'files', count: 'counts' } as const;

type Grep = (path: string, query: GrepQuery) => Promise<GrepResult>;

export async function grep(args: GrepArguments, context: ToolContext): Promise<string> {
  const { engine, signal } = context;
  const inSeries = engine.search.series({ signal });
  const grepIn: Grep = (where, query) => inSeries((own) => engine.search.grep(where, query, own));
  const { offset = 0, limit } = args;
  const byFile = args.output !== 'content';
  const { path, type } = await engine.files.info(await pathOf(args.path, context));
  const query = {
    regex: args.literal ? escapeRegex(args.pattern) : args.pattern,
    flags: args.ignoreCase ? 'i' : '',
    include: args.glob === undefined ? undefined : globsOf(args.glob),
    ignoreFiles: !args.includeIgnored,
    contextLines: byFile ? 0 : (args.context ?? 0),
    // One more than the page shows: a match among the lines after the last one belongs to the next page.
    maxMatches: byFile ? MOST_FILES : offset + limit + 1,
    summary: SUMMARIES[args.output],
    // An anchor is the hash of the whole line, so the line must not be truncated.
    maxLineLength: args.anchors ? undefined : Math.min(LONGEST_LINE, budgetOf(context, args) >> 3),
    countAll: true,
    declaredEncodings: true,
  };
  const isFar = !byFile && offset > (type === 'file' ? 0 : FAR);
  const result = isFar
    ? await pageAfter(offset - 1, { ...query, maxMatches: limit + 2 }, path, type === 'file', grepIn)
    : await grepIn(path, query);
  context.explain?.(`plan: ${result.plan.plan} (${result.plan.why})`);
  const directory = type === 'directory' ? path : dirname(path);
  const files =
    type === 'directory' ? result.files : result.files.map((file) => ({ ...file, path: basename(path) }));
  const head = `In ${onOneLine(directory)}:`;
  const skipped = notesOf(result);
  if (result.matches === 0) {
    await explainNothing(path, type === 'directory' ? args.glob : undefined, query, context);
    return [`No matches found in ${onOneLine(path)}`, ...skipped].join('\n');
  }
  const found = { ...result, files };
  const shown = withoutFirst(files, isFar ? 1 : offset);
  const bytes = budgetOf(context, args) - Buffer.byteLength([head, ...skipped].join('\n')) - 2;
  const body = byFile
    ? await filePage(found, args, { directory, bytes }, context)
    : linePage({ ...result, files: shown }, args, bytes, context);
  return [head, ...body, ...skipped].join('\n');
}

function notesOf({ skippedLongLines, skippedUnreadable }: GrepResult): string[] {
  return [
    ...(skippedLongLines > 0 ? [`[${skippedLongLines} lines are too long to search]`] : []),
    ...(skippedUnreadable > 0 ? [`[${skippedUnreadable} files or directories could not be read]`] : []),
  ];
}

/**
 * Finds a page of matches after many others without sending those through the server: it counts the matches first, then
 * searches only the files of the page. The caller asks for one more match, the last one of the page before: the lines
 * between that match and the next belong to it.
 */
async function pageAfter(
  offset: number,
  query: GrepQuery,
  path: string,
  isFile: boolean,
  grepIn: Grep,
): Promise<GrepResult> {
  if (isFile) {
    const found = await grepIn(path, { ...query, skipInFile: offset });
    return { ...found, matches: found.totalMatches };
  }
  const counts = { ...query, summary: 'counts', maxMatches: MOST_FILES, contextLines: 0 } as const;
  const counted = await grepIn(path, counts);
  const files: FileMatches[] = [];
  let [skip, left] = [offset, query.maxMatches];
  for (const file of counted.files) {
    if (left <= 0) break;
    if (file.matches <= skip) {
      skip -= file.matches;
      continue;
    }
    // The search above chose the file already.
    const own = { ...query, include: undefined, ignoreFiles: false, skipInFile: skip, maxMatches: left };
    const found = await grepIn(join(path, file.path), own);
    files.push(...found.files.map((each) => ({ ...each, path: file.path })));
    left -= found.matches;
    skip = 0;
  }
  return { ...counted, files };
}

/** A page of matching lines. Each file's path is shown once, above its lines. */
function linePage(result: GrepResult, args: GrepArguments, bytes: number, context: ToolContext): string[] {
  const { offset = 0 } = args;
  const blocks = result.files.flatMap((file) => blocksOf(file, args, bytes));
  const shown: string[] = [];
  let [room, matches, path] = [bytes, 0, ''];
  for (const block of blocks) {
    const heading = block.path === path ? (args.context && !block.touches ? ['--'] : []) : [block.path];
    const lines = [...heading, ...block.lines];
    room -= lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (matches === args.limit || (room < 0 && matches > 0)) break;
    shown.push(...lines);
    matches += block.matches;
    path = block.path;
  }
  const left = result.totalMatches - offset - matches;
  if (matches === 0) return [offsetTooLarge(result.totalMatches, 'matching lines')];
  if (left <= 0) return shown;
  const next = nextCall('grep_files', asSent(args), { offset: offset + matches }, context);
  return [...shown, `[${grouped(left)} more matching lines; ${next}]`];
}

interface MatchBlock {
  path: string;
  lines: string[];
  matches: number;
  /** The block begins right after the one before it. */
  touches: boolean;
}

/** Each match with the lines around it. Lines between two matches belong to the first of them. */
function blocksOf(file: FileMatches, args: GrepArguments, bytes: number): MatchBlock[] {
  const path = truncateToBytes(onOneLine(file.path), bytes >> 1);
  const blocks: MatchBlock[] = [];
  let last: number | undefined;
  let open: MatchBlock | undefined;
  for (const line of file.lines) {
    const touches = last !== undefined && line.number === last + 1;
    if (!open || !touches || (line.match && open.matches > 0)) {
      open = { path, lines: [], matches: 0, touches };
      blocks.push(open);
    }
    open.lines.push(lineText(line, args.anchors ?? false, bytes));
    if (line.match) open.matches++;
    last = line.number;
  }
  return blocks.map((block) => shortened(block, file, bytes));
}

/** Shortens a block that no answer could hold to its match, and as many of the lines around it as fit. */
function shortened(block: MatchBlock, file: FileMatches, bytes: number): MatchBlock {
  const fits = (lines: readonly string[]) =>
    Buffer.byteLength(lines.join('\n')) + Buffer.byteLength(block.path) + 8 < bytes;
  if (fits(block.lines)) return block;
  const isMatch = new Set(file.lines.filter(({ match }) => match).map(({ number }) => `${number}`));
  const at = block.lines.findIndex((line) => isMatch.has(/^\d+/.exec(line)![0]));
  let [from, to] = [Math.max(at, 0), Math.max(at, 0) + 1];
  while (to < block.lines.length && fits(block.lines.slice(from, to + 1))) to++;
  while (from > 0 && fits(block.lines.slice(from - 1, to))) from--;
  return { ...block, lines: block.lines.slice(from, to) };
}

/** Truncates a line that is too long for an answer. Its anchor is still that of the whole line. */
function lineText({ number, text, match }: FoundLine, anchors: boolean, bytes: number): string {
  const shown = truncateToBytes(truncate(text, LONGEST_LINE), (bytes >> 1) - 40);
  if (anchors) return `${number}#${lineHash(text)}| ${shown}`;
  return `${number}${match ? ':' : '-'} ${shown}`;
}

/** Leaves out the first `offset` matching lines and the lines around them: earlier pages have shown them. */
function withoutFirst(files: readonly FileMatches[], offset: number): FileMatches[] {
  let skip = offset;
  return files.flatMap((file) => {
    const matches = file.lines.filter(({ match }) => match);
    if (matches.length <= skip) {
      skip -= matches.length;
      return [];
    }
    const from = skip === 0 ? 0 : endOfBlock(file.lines, matches[skip - 1]!);
    const left = matches.length - skip;
    skip = 0;
    return [{ ...file, lines: file.lines.slice(from), matches: left }];
  });
}

/** The index after a match and the lines that belong to it: at the next match, or where lines are left out. */
function endOfBlock(lines: readonly FoundLine[], match: FoundLine): number {
  let end = lines.indexOf(match) + 1;
  while (end < lines.length && !lines[end]!.match && lines[end]!.number === lines[end - 1]!.number + 1) end++;
  return end;
}

/** A page of files with matches: their paths, newest first, or their counts, by path. */
async function filePage(
  result: GrepResult,
  args: GrepArguments,
  { directory, bytes }: { directory: string; bytes: number },
  context: ToolContext,
): Promise<string[]> {
  const { offset = 0, limit, output } = args;
  const files = output === 'files' ? await newestFirst(result.files, directory, context) : result.files;
  const lines = files.map(({ path, matches }) =>
    output === 'files' ? onOneLine(path) : `${onOneLine(path)}: ${matches}`,
  );
  const page = pageOf(lines.slice(0, offset + limit), offset, bytes);
  const left = lines.length - page.end;
  if (page.lines.length === 0) return [offsetTooLarge(lines.length, 'files')];
  if (left <= 0) return [...page.lines];
  const next = nextCall('grep_files', asSent(args), { offset: page.end }, context);
  return [...page.lines, `[${grouped(left)} more files; ${next}]`];
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

/** The arguments without those that have their default. */
function asSent(args: GrepArguments): Record<string, unknown> {
  const { output, limit, path, ...rest } = args;
  return {
    ...rest,
    ...(path !== '.' && { path }),
    ...(output !== 'content' && { output }),
    ...(limit !== 200 && { limit }),
  };
}
