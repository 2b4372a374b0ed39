/** Makes a change only if the file still has the content that the caller knows. */
import { truncate } from '../../../display/truncate.ts';
import { EngineFailure, unifiedDiff } from '../../../engine/index.ts';
import type { ResultOutcome, ToolContext } from '../../dialect.ts';
import { refused } from '../outcome.ts';
import { asCalled } from '../paths.ts';
import { MAX_SHOWN_NAME } from '../shown-lengths.ts';

/** The result of the change, or, if the content is another one now, a refusal that shows the difference. */
export async function unlessStale<T>(
  path: string,
  ifHash: string | undefined,
  context: ToolContext,
  change: () => Promise<T>,
): Promise<T | ResultOutcome> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== 'changed-meanwhile') throw error;
    const { hash } = error.facts;
    if (hash === undefined || ifHash === undefined) throw error;
    context.engine.reportFailure(error.facts);
    const shown = asCalled(path, context);
    const expected = truncate(ifHash, MAX_SHOWN_NAME);
    const what = `${shown} has changed: its hash is ${hash} now, not ${expected}. Nothing was changed.`;
    const diff = await diffSince(path, ifHash, context);
    return refused(
      `${what}\n${diff ?? 'Read it again, and repeat the call with the new hash.'}`,
      error.facts.kind,
    );
  }
}

/** The diff from the content with this hash, if it is still known, to what the file has now. */
async function diffSince(path: string, ifHash: string, context: ToolContext): Promise<string | undefined> {
  const { engine, session, signal } = context;
  const known = session.readTexts?.withHash(ifHash) ?? (await engine.history.contentOf(path, ifHash));
  if (!known) return undefined;
  const now = await engine.files.readDecoded(path, { signal });
  const before = await engine.files.decode(path, known);
  if (now.text === undefined || before === undefined) return undefined;
  return unifiedDiff(before, now.text, { oldName: `${path} (${ifHash})`, newName: path });
}
