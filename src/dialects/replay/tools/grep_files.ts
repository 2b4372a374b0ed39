import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { grepOutput } from '../grep-output.ts';
import { explainNoGrepMatches, grepScope } from '../grep-scope.ts';
import { searchCall } from '../search-scope.ts';

const MAX_LINE_LENGTH = 500;

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
        ...strings,
        description: 'File filters; relative -> anchored to directory, absolute -> as-is',
      },
      excludeGlobs: { ...strings, description: 'Glob exclusions (honored in every mode)' },
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
    const { regex, caseInsensitive, contextLines, maxResults: maxMatches } = args;
    const scope = await grepScope(args, context);
    const flags = caseInsensitive ? 'i' : '';
    const query = { regex, flags, contextLines, maxMatches, maxLineLength: MAX_LINE_LENGTH };
    const result = await context.engine.search.grepAll(scope.sources, query, searchCall(context));
    if (result.matches === 0) await explainNoGrepMatches(args, scope, query, context);
    context.explain?.(`plan: ${result.plan.plan} (${result.plan.why})`);
    return { result, outside: scope.outside.length + result.outside };
  },
  render: ({ result, outside }, args) => grepOutput(result, outside, args),
});
