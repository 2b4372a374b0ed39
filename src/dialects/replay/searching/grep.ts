/** What grep_files does: searches the files in its scope, and explains why it may have found nothing. */
import type { ToolContext } from '../../dialect.ts';
import { explainNoGrepMatches, grepScope, type ScopeArguments } from './grep-scope.ts';
import { searchCall } from './search-scope.ts';

const MAX_LINE_LENGTH = 500;

interface GrepArguments extends ScopeArguments {
  regex: string;
  caseInsensitive: boolean;
  contextLines: number;
  maxResults: number;
}

export async function grep(args: GrepArguments, context: ToolContext) {
  const { regex, caseInsensitive, contextLines, maxResults: maxMatches } = args;
  const scope = await grepScope(args, context);
  const flags = caseInsensitive ? 'i' : '';
  const query = { regex, flags, contextLines, maxMatches, maxLineLength: MAX_LINE_LENGTH };
  const result = await context.engine.search.grepAll(scope.sources, query, searchCall(context));
  if (result.matches === 0) await explainNoGrepMatches(args, scope, query, context);
  context.explain?.(`plan: ${result.plan.plan} (${result.plan.why})`);
  return { result, outside: scope.outside.length + result.outside };
}
