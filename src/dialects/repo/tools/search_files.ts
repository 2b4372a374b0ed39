import { type GrepQuery, matchesWithContext } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { deeper, findsInAnyCase, whyNoMatches } from '../../empty-search.ts';
import { globsBelow } from '../globs.ts';
import { itemsThatFit, jsonResult, skipped } from '../json-result.ts';
import { searchCall } from '../searching.ts';
import { settingOf } from '../settings.ts';

const EXCLUDED = {
  excludedDirectories: ['node_modules', '.git', 'dist', 'build'],
  excludedNames: ['*.min.js', '*.min.css', 'package-lock.json', 'yarn.lock', '*.map'],
};

const LONGEST_LINE = 500;
/** What is looked for in single lines is never longer in good faith, and working it out takes time. */
const LONGEST_PATTERN = 4096;

export const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search files',
  description:
    'Search the files of the repository, line by line, for plain text or a regex (ECMAScript). Returns matching lines with context. Skips node_modules, .git, dist, build, minified files, lock files and source maps.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_PATTERN,
        description: 'Search pattern: plain text or regex',
      },
      is_regex: { type: 'boolean', default: false, description: 'Treat pattern as a regular expression' },
      glob: {
        type: 'string',
        description: 'Glob to filter files: "src/**/*.ts" for paths, "*.ts" for names at any depth',
      },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 50,
        description: 'Maximum matches to return',
      },
      context_lines: {
        type: 'integer',
        minimum: 0,
        maximum: 10,
        default: 2,
        description: 'Lines of context around matches',
      },
      case_sensitive: { type: 'boolean', default: false, description: 'Case-sensitive search' },
    },
    required: ['pattern'],
  },
  async run(args, context) {
    const { engine, settings } = context;
    const began = performance.now();
    const query = {
      ...EXCLUDED,
      regex: args.is_regex ? args.pattern : literally(args.pattern),
      flags: args.case_sensitive ? '' : 'i',
      include: args.glob === undefined ? undefined : await globsBelow(engine, args.glob, ''),
      maxMatches: Math.min(args.max_results, settingOf(settings, 'MAX_SEARCH_RESULTS')),
      contextLines: args.context_lines,
      maxLineLength: LONGEST_LINE,
      countAll: true,
      countFiles: true,
    };
    const found = await engine.search.grep('.', query, searchCall(context));
    if (found.matches === 0) await explainNothing(args, query, context);
    context.explain?.(`plan: ${found.plan.plan} (${found.plan.why})`);
    return { ...found, ms: Math.round(performance.now() - began) };
  },
  render(found, { context_lines }) {
    const all = found.files.flatMap((file) =>
      matchesWithContext(file, context_lines).map(({ line, before, after }) => ({
        path: file.path,
        line_number: line.number,
        line_content: line.text,
        context: { before, after },
      })),
    );
    const matches = itemsThatFit(all);
    return jsonResult({
      matches,
      total_matches: found.totalMatches,
      files_searched: found.filesSearched,
      truncated: found.truncated || matches.length < all.length,
      duration_ms: found.ms,
      ...skipped('skipped_unreadable', found.skippedUnreadable),
      ...skipped('skipped_long_lines', found.skippedLongLines),
    });
  },
});

/** Says so when the glob or the case of letters may be why nothing was found. */
async function explainNothing(
  { glob, case_sensitive }: { glob?: string; case_sensitive: boolean },
  query: GrepQuery,
  context: ToolContext,
): Promise<void> {
  const { engine, signal } = context;
  if (glob !== undefined) {
    const wider = deeper(glob);
    const why = await whyNoMatches(context, {
      filter: 'the glob',
      chosen: [{ ...EXCLUDED, directory: '.', globs: query.include ?? [] }],
      all: { ...EXCLUDED, directory: '.', globs: ['**'] },
      wider: glob.includes('/')
        ? { globs: [wider], chosen: [{ ...EXCLUDED, directory: '.', globs: [wider] }] }
        : undefined,
    });
    if (why !== undefined) context.note(why);
  }
  if (!case_sensitive) return;
  const anyCase = { ...query, flags: 'i', maxMatches: 1, countAll: false };
  const found = await findsInAnyCase(signal, (call) => engine.search.grep('.', anyCase, call));
  if (found) context.note('[0 matches in this case of letters; case_sensitive: false finds some]');
}

/** A regular expression that means the text itself. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
