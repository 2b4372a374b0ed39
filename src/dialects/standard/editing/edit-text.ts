/** What edit_file does: edits the text of one file, unless the file is no longer the one that the caller read. */
import type { ResultOutcome, ToolContext } from '../../dialect.ts';
import { pathOf } from '../paths.ts';
import { editRemembered } from './edit-remembered.ts';
import { type EditCall, editResult } from './edit-result.ts';
import { unlessStale } from './stale.ts';

export async function editText(
  call: EditCall & { ifHash?: string },
  context: ToolContext,
): Promise<ResultOutcome> {
  const { path, edits, dryRun, ifHash } = call;
  const target = await pathOf(path, context);
  const outcome = await unlessStale(target, ifHash, context, () =>
    editRemembered(target, edits, { dryRun, ifHash }, context),
  );
  return 'hash' in outcome ? editResult(outcome, call, context) : outcome;
}
