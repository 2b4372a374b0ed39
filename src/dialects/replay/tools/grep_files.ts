import { dirname } from 'node:path';
import { blocksOf, type FileMatches, type FoundLine, fail, type GrepResult } from '../../../engine/index.ts';
import { jsonBytes } from '../../../json/json-size.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { type Choice, deeper, findsInAnyCase, whyNoMatches } from '../../empty-search.ts';
import { onOneLine } from '../../one-line.ts';
import { countThatFits, textFits } from '../../result-size.ts';
import { homeExpanded, searchCall, startOf, unreadableNote } from '../searching.ts';

const LONGEST_LINE = 500;

export const grepFiles = defineTool({
  name: 'grep_files',
  title: 'Search file contents',
  description:
    'Search file contents with an ECMAScript regex, line by line. Give a directory, globs, or both; relative globs are anchored to directory, else to the project directory. Output is grep-style: path:line:text, context lines path-line-text.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      regex: { type: 'string', description: 'ECMAScript (JS) regex searched in file CONTENTS' },
      directory: {
        type: 'string',
        description: 'Directory to walk recursively. Set this to restrict the search to one dir',
      },
      globs: {
        type: 'array',
        items: { type: 'string' },
        description: 'File filters; relative -> anchored to directory, absolute -> as-is',
      },
      excludeGlobs: {
        type: 'array',
        items: { type: 'string' },
        description: 'Glob exclusions (honored in every mode)',
      },
      caseInsensitive: { type: 'boolean', default: false, description: 'Case-insensitive, grep -i' },
      contextLines: {
        type: 'integer',
        minimum: 0,
        maximum: 50,
        default: 0,
        description: 'Lines before/after each match, grep -C style',
      },
      maxResults: {
        type: 'integer',
        minimum: 1,
        maximum: 10000,
        default: 500,
        description: 'Total match cap',
      },
    },
    required: ['regex'],
  },
  async run(args, context) {
    const { regex, directory, globs, excludeGlobs, caseInsensitive, contextLines, maxResults } = args;
    const { sources, outside } = await sourcesFor(directory, globs, excludeGlobs, context);
    const query = {
      regex,
      flags: caseInsensitive ? 'i' : '',
      contextLines,
      maxMatches: maxResults,
      maxLineLength: LONGEST_LINE,
    };
    const result = await context.engine.search.grepAll(sources, query, searchCall(context));
    if (result.matches === 0) await explainNothing(args, { sources, outside }, query, context);
    context.explain?.(`plan: ${result.plan.plan} (${result.plan.why})`);
    return { result, outside: outside.length + result.outside };
  },
  render: ({ result, outside }, args) => tellMatches(result, outside, args),
});

type Chosen = Awaited<ReturnType<typeof sourcesFor>>;

/** Says so when the globs, the exclusions or the case of letters may be why nothing was found. */
async function explainNothing(
  args: { directory?: string; globs?: string[]; excludeGlobs?: string[]; caseInsensitive: boolean },
  { sources, outside }: Chosen,
  query: Parameters<ToolContext['engine']['search']['grepAll']>[1],
  context: ToolContext,
): Promise<void> {
  const { directory = '.', globs = [], excludeGlobs = [], caseInsensitive } = args;
  const { search } = context.engine;
  if (globs.length + excludeGlobs.length > 0) {
    const { path, isDirectory } = await startOf(directory, context);
    const wider = homeExpanded(globs, context)
      .filter((glob) => !outside.includes(glob))
      .map(deeper);
    const why =
      isDirectory &&
      (await whyNoMatches(context, {
        filter:
          globs.length === 0
            ? 'excludeGlobs'
            : excludeGlobs.length === 0
              ? 'the globs'
              : 'globs and excludeGlobs',
        chosen: choicesOf(sources),
        all: { directory: path, globs: ['**'] },
        wider: {
          globs: wider,
          chosen: choicesOf(search.sourcesOf(path, wider, homeExpanded(excludeGlobs, context)).sources),
        },
      }));
    if (why) context.note(why);
  }
  if (caseInsensitive) return;
  const anyCase = { ...query, flags: 'i', maxMatches: 1 };
  const found = await findsInAnyCase(context.signal, (call) => search.grepAll(sources, anyCase, call));
  if (found) context.note('[0 matches in this case of letters; caseInsensitive: true finds some]');
}

function choicesOf(sources: Chosen['sources']): Choice[] {
  return sources.map(({ directory, include, exclude }) => ({
    directory,
    globs: include ?? ['**'],
    exclude: exclude(),
  }));
}

async function sourcesFor(
  directory: string | undefined,
  globs: string[] | undefined,
  excludeGlobs: string[] | undefined,
  context: ToolContext,
) {
  const { search } = context.engine;
  const wanted = globs && globs.length > 0 ? homeExpanded(globs, context) : undefined;
  const excluded = homeExpanded(excludeGlobs, context);
  if (directory === undefined && wanted === undefined) {
    const message = 'directory or globs is needed, to say where to search';
    return fail({ kind: 'bad-arguments', problems: [{ field: 'directory', missing: true, message }] });
  }
  const { path, isDirectory } = await startOf(directory ?? '.', context);
  if (isDirectory) return search.sourcesOf(path, wanted, excluded);
  if (wanted) return fail({ kind: 'not-a-directory', path: directory! });
  const exclude = () => search.exclusions(dirname(path), excluded);
  return { sources: [{ directory: path, include: undefined, exclude }], outside: [] };
}

function tellMatches(
  result: GrepResult,
  outside: number,
  { contextLines, maxResults }: { contextLines: number; maxResults: number },
): string {
  const lines = contextLines > 0 ? inGroups(result.files) : oneByOne(result.files);
  const whole = lines.map((line) => line.outcome).join('\n');
  const shown = textFits(whole) ? lines : lines.slice(0, linesUpToAMatch(lines));
  const all = shown.length === lines.length;
  const outcome = all ? whole : shown.map((line) => line.outcome).join('\n');
  const matches = all ? result.matches : shown.filter(({ match }) => match).length;
  const truncated = result.truncated || !all;
  const why = matches < maxResults ? ', too long for one answer' : '';
  return [
    ...(truncated ? [`[truncated: the first ${matches} matches; there are more${why}]`] : []),
    ...(outcome === '' ? [] : [outcome]),
    `[${matches} matches]`,
    ...(outside > 0 ? [`[${outside} path(s) skipped: outside the allowed directories]`] : []),
    ...(result.skippedLongLines > 0
      ? [`[${result.skippedLongLines} line(s) too long to search skipped]`]
      : []),
    ...unreadableNote(result.skippedUnreadable),
  ].join('\n');
}

interface ToldLine {
  outcome: string;
  match: boolean;
}

/** How many of the first lines fit, the last of them a match. */
function linesUpToAMatch(lines: readonly ToldLine[]): number {
  let count = countThatFits(lines, ({ outcome }) => jsonBytes(outcome));
  while (count > 0 && !lines[count - 1]!.match) count--;
  return count;
}

/** Without context every line is a match and stands for itself. */
function oneByOne(files: readonly FileMatches[]): ToldLine[] {
  const lines: ToldLine[] = [];
  for (const file of files) {
    const path = onOneLine(file.path);
    for (const { number, text } of file.lines)
      lines.push({ outcome: `${path}:${number}:${text}`, match: true });
  }
  return lines;
}

/** Lines that belong together form a group, and a line of its own stands between two groups. */
function inGroups(files: readonly FileMatches[]): ToldLine[] {
  const lines: ToldLine[] = [];
  for (const file of files) {
    const path = onOneLine(file.path);
    for (const block of blocksOf(file)) {
      if (lines.length > 0) lines.push({ outcome: '--', match: false });
      for (const line of block) lines.push({ outcome: tellLine(path, line), match: line.match });
    }
  }
  return lines;
}

function tellLine(path: string, { number, text, match }: FoundLine): string {
  return match ? `${path}:${number}:${text}` : `${path}-${number}-${text}`;
}
