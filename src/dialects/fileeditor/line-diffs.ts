/** What apply_diffs does, and how it words the result. */
import {
  type Engine,
  filteredInTurns,
  joinedInTurns,
  type LineDiff,
  type LineDiffResult,
  mapInTurns,
  Yielder,
} from '../../engine/index.ts';
import { type Caught, catchFailure } from '../catch-failure.ts';
import { type ResultOutcome, text } from '../dialect.ts';
import { failedWith, messageOf } from './failures.ts';
import { listOf, refuse } from './one-or-many.ts';

interface DiffArguments {
  search_content: string | string[];
  replace_content: string | string[];
  start_line: number | number[];
}

interface ApplyArguments extends DiffArguments {
  path: string;
  atomic: boolean;
  trim: boolean;
}

export async function applyLineDiffs(
  args: ApplyArguments,
  workspace: Engine,
  signal: AbortSignal,
): Promise<ResultOutcome> {
  const diffs = await diffsOf(args, signal);
  const { path, trim, atomic } = args;
  const options = { trim, partly: !atomic && diffs.length > 1, signal };
  const apply = () => workspace.files.applyLineDiffs(path, diffs, options);
  const applied = await catchFailure('hunk-mismatch', apply);
  return diffsResult(diffs, applied, { path, mode: atomic ? 'atomic' : 'non-atomic' });
}

async function diffsOf(
  { search_content, replace_content, start_line }: DiffArguments,
  signal: AbortSignal | undefined,
): Promise<LineDiff[]> {
  const searches = listOf(search_content);
  const replaces = listOf(replace_content);
  const starts = listOf(start_line);
  const count = searches.length;
  if (replaces.length !== count || starts.length !== count) {
    const counts = `search_content ${count}, replace_content ${replaces.length}, start_line ${starts.length}`;
    refuse('search_content', `each diff needs its three parts, but there are ${counts}`);
  }
  if (count === 0) refuse('search_content', 'there is no diff to apply');
  return mapInTurns(searches, new Yielder(signal), (search, index) => ({
    search,
    replace: replaces[index]!,
    startLine: starts[index]!,
  }));
}

async function diffsResult(
  diffs: readonly LineDiff[],
  applied: Caught<{ results: LineDiffResult[]; lines: number }, 'hunk-mismatch'>,
  { path, mode }: { path: string; mode: string },
): Promise<ResultOutcome> {
  if ('failure' in applied) {
    const { failure } = applied;
    const which = diffs.length > 1 ? `Diff ${failure.hunk}: ` : '';
    return failedWith(failure, `${which}${messageOf(failure, 'apply_diffs')}\n\nNothing was changed.`);
  }
  const { results, lines } = applied.value;
  const yielder = new Yielder(undefined);
  const messages = await mapInTurns(results, yielder, (result, index) => messageFor(diffs[index]!, result));
  const now = `File now has ${lines} lines.`;
  if (diffs.length === 1)
    return resultOf(`Successfully applied diff to ${path}: ${lowerFirst(messages[0]!)}. ${now}`);
  const failed = await filteredInTurns(results, yielder, (result) => 'failure' in result);
  const succeeded = results.length - failed.length;
  const head = `Batch diff operation (${mode}) completed: ${succeeded}/${diffs.length} diffs applied successfully to ${path}. ${now}`;
  const details = await mapInTurns(results, yielder, (result, index) =>
    detailsOf(diffs[index]!, result, index, messages[index]!),
  );
  return {
    ...resultOf(await joinedInTurns([head, 'Detailed results:', ...details], '\n\n', yielder)),
    failure: succeeded === 0 ? failureOf(results[0]!) : undefined,
  };
}

function resultOf(message: string): ResultOutcome {
  return { result: { content: [text(message)] } };
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
