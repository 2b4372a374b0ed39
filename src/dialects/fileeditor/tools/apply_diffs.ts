import { EngineFailure, type LineDiff, type LineDiffResult } from '../../../engine/index.ts';
import { defineTool, hints, text } from '../../dialect.ts';
import type { FromSchema } from '../../schema.ts';
import { failedWith, messageOf } from '../failures.ts';
import { listOf, refuse } from '../lists.ts';
import { inWorkspace } from '../workspace.ts';

const input = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The path of the file to modify' },
    search_content: {
      oneOf: [
        { type: 'string', description: 'The original content to match precisely (for single diff)' },
        {
          type: 'array',
          items: { type: 'string' },
          description: 'Array of original content to match precisely (for multiple diffs)',
        },
      ],
    },
    replace_content: {
      oneOf: [
        { type: 'string', description: 'The new content to replace with (for single diff)' },
        {
          type: 'array',
          items: { type: 'string' },
          description: 'Array of new content to replace with (for multiple diffs)',
        },
      ],
    },
    start_line: {
      oneOf: [
        {
          type: 'integer',
          description:
            'The starting line number for searching content (for single diff, 1-based line number from original file)',
          minimum: 1,
        },
        {
          type: 'array',
          items: { type: 'integer', minimum: 1 },
          description:
            'Array of starting line numbers for searching content (for multiple diffs, all 1-based line numbers from original file - tool automatically handles line offset adjustments during processing)',
        },
      ],
    },
    atomic: {
      type: 'boolean',
      description:
        'Whether to use atomic mode (all-or-nothing). When true (default), validates all diffs before applying any. When false, applies diffs one by one, continuing on failures.',
      default: true,
    },
    trim: {
      type: 'boolean',
      description:
        'Whether to trim whitespace from the beginning and end of each line when comparing search_content with file content. Only affects search and matching - replace_content is inserted exactly as provided. Default is false.',
      default: false,
    },
  },
  required: ['path', 'search_content', 'replace_content', 'start_line'],
} as const;

export const applyDiffs = defineTool({
  name: 'apply_diffs',
  title: 'Apply diffs',
  description:
    'Replace blocks of lines in a file: search_content must stand at start_line. Several diffs may be given as lists; every start_line counts in the file as it was before the call.',
  hints: hints.destructive,
  input,
  run: (args, context) =>
    inWorkspace(context, async (workspace) => {
      const diffs = diffsOf(args);
      const partly = !args.atomic && diffs.length > 1;
      try {
        const { signal } = context;
        return {
          diffs,
          ...(await workspace.files.applyLineDiffs(args.path, diffs, { trim: args.trim, partly, signal })),
        };
      } catch (error) {
        if (!(error instanceof EngineFailure) || error.facts.kind !== 'hunk-mismatch') throw error;
        return { diffs, mismatch: error.facts };
      }
    }),
  render(outcome, { path, atomic }) {
    const { diffs } = outcome;
    if ('mismatch' in outcome) {
      const { mismatch } = outcome;
      const which = diffs.length > 1 ? `Diff ${mismatch.hunk}: ` : '';
      return failedWith(mismatch, `${which}${messageOf(mismatch, 'apply_diffs')}\n\nNothing was changed.`);
    }
    const { results, lines } = outcome;
    const messages = results.map((result, index) => messageFor(diffs[index]!, result));
    const now = `File now has ${lines} lines.`;
    if (diffs.length === 1)
      return `Successfully applied diff to ${path}: ${lowerFirst(messages[0]!)}. ${now}`;
    const mode = atomic ? 'atomic' : 'non-atomic';
    const applied = results.filter((result) => !('failure' in result)).length;
    const head = `Batch diff operation (${mode}) completed: ${applied}/${diffs.length} diffs applied successfully to ${path}. ${now}`;
    const details = results.map((result, index) => detailsOf(diffs[index]!, result, index, messages[index]!));
    const result = { content: [text([head, 'Detailed results:', ...details].join('\n\n'))] };
    return { result, failure: applied === 0 ? failureOf(results[0]!) : undefined };
  },
});

function diffsOf({ search_content, replace_content, start_line }: FromSchema<typeof input>): LineDiff[] {
  const searches = listOf(search_content);
  const replaces = listOf(replace_content);
  const starts = listOf(start_line);
  const count = searches.length;
  if (replaces.length !== count || starts.length !== count) {
    const counts = `search_content ${count}, replace_content ${replaces.length}, start_line ${starts.length}`;
    refuse('search_content', `each diff needs its three parts, but there are ${counts}`);
  }
  if (count === 0) refuse('search_content', 'there is no diff to apply');
  return searches.map((search, index) => ({
    search,
    replace: replaces[index]!,
    startLine: starts[index]!,
  }));
}

function messageFor({ startLine }: LineDiff, result: LineDiffResult): string {
  if ('failure' in result) return messageOf(result.failure, 'apply_diffs');
  const { removed, added } = result;
  const more = added > removed ? ` (added ${added - removed} line(s))` : '';
  const fewer = added < removed ? ` (removed ${removed - added} line(s))` : '';
  return `Replaced ${removed} line(s) at line ${startLine}${more}${fewer}`;
}

function failureOf(result: LineDiffResult) {
  return 'failure' in result ? result.failure : undefined;
}

function detailsOf({ startLine }: LineDiff, result: LineDiffResult, index: number, message: string): string {
  return [
    `Diff ${index + 1}:`,
    `  Status: ${'failure' in result ? 'failed' : 'success'}`,
    `  Start Line: ${startLine}`,
    `  Message: ${message.replaceAll('\n', '\n    ')}`,
  ].join('\n');
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
