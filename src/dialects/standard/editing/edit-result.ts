/** The answer of edit_file: a diff of the change with the new hash, or why nothing was changed. */
import { inTurns, Yielder } from '../../../engine/index.ts';
import type { ResultOutcome, ToolContext } from '../../dialect.ts';
import { nextCall } from '../../results/next-call.ts';
import { budgetOf } from '../../results/token-budget.ts';
import { refused, withHash } from '../outcome.ts';
import type { editRemembered } from './edit-remembered.ts';
import { doneText, type EditArgument, refusalText } from './edits.ts';

type RememberedEdit = Awaited<ReturnType<typeof editRemembered>>;

export interface EditCall {
  path: string;
  edits: readonly EditArgument[];
  dryRun: boolean;
}

export async function editResult(
  { result, hash, path: realPath }: RememberedEdit,
  { path, edits, dryRun }: EditCall,
  context: ToolContext,
): Promise<ResultOutcome> {
  const bytes = budgetOf(context, { path });
  if ('refusal' in result) return refused(refusalText(result, path, edits, bytes), result.refusal.why);
  const next = (offset: number) => nextCall('read_text_file', { path }, { offset }, context);
  const rest = { bytes, next: dryRun ? undefined : next };
  const shown = doneText(realPath, result.diff, result.results, rest);
  return { result: withHash(await inTurns(shown, new Yielder(context.signal)), hash) };
}
