/** What search_files does: what it looks for, where it searches, and why it may have found nothing. */
import type { GrepQuery } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { deeper, explainNoMatches, type SearchFilter, THIS_CASE, type WiderSearch } from '../empty-search.ts';
import { escapeRegex } from '../escape-regex.ts';
import { globsBelow } from './listing/globs.ts';
import { searchCall } from './search-call.ts';
import { settingOf } from './settings.ts';

const EXCLUDED = {
  excludedDirectories: ['node_modules', '.git', 'dist', 'build'],
  excludedNames: ['*.min.js', '*.min.css', 'package-lock.json', 'yarn.lock', '*.map'],
};

const MAX_LINE_LENGTH = 500;

interface SearchArguments {
  pattern: string;
  is_regex: boolean;
  glob?: string;
  max_results: number;
  context_lines: number;
  case_sensitive: boolean;
}

export async function searchContents(args: SearchArguments, context: ToolContext) {
  const began = performance.now();
  const query = await searchQuery(args, context);
  const found = await context.engine.search.grep('.', query, searchCall(context));
  if (found.matches === 0) await explainNoSearchMatches(args, query, context);
  context.explain?.(`plan: ${found.plan.plan} (${found.plan.why})`);
  return { found, ms: Math.round(performance.now() - began) };
}

async function searchQuery(args: SearchArguments, { engine, settings }: ToolContext): Promise<GrepQuery> {
  return {
    ...EXCLUDED,
    regex: args.is_regex ? args.pattern : escapeRegex(args.pattern),
    flags: args.case_sensitive ? '' : 'i',
    include: args.glob === undefined ? undefined : await globsBelow(engine, args.glob, ''),
    maxMatches: Math.min(args.max_results, settingOf(settings, 'MAX_SEARCH_RESULTS')),
    contextLines: args.context_lines,
    maxLineLength: MAX_LINE_LENGTH,
    countAll: true,
    countFiles: true,
  };
}

/** Adds a note when the glob or the case of letters may be why nothing matched. */
function explainNoSearchMatches(
  { glob, case_sensitive }: SearchArguments,
  query: GrepQuery,
  context: ToolContext,
): Promise<void> {
  const first = { ...query, flags: 'i', maxMatches: 1, countAll: false };
  const anyCase: WiderSearch = {
    bounds: THIS_CASE,
    option: 'case_sensitive: false',
    search: (call) => context.engine.search.grep('.', first, call),
  };
  return explainNoMatches(context, filterOf(glob, query), case_sensitive ? [anyCase] : []);
}

function filterOf(glob: string | undefined, { include = [] }: GrepQuery): SearchFilter | undefined {
  if (glob === undefined) return undefined;
  const below = (globs: readonly string[]) => ({ ...EXCLUDED, directory: '.', globs });
  const wider = deeper(glob);
  return {
    name: 'the glob',
    chosen: [below(include)],
    all: below(['**']),
    wider: glob.includes('/') ? { globs: [wider], chosen: [below([wider])] } : undefined,
  };
}
