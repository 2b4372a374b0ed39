/** Edits a file by anchors of the text that the client last read, even after its own edits, whose answers show none. */
import type { ToolContext } from '../../dialect.ts';
import { ReadTexts } from '../../read-texts.ts';
import { type EditArgument, listedEdits } from './edits.ts';

export async function editRemembered(
  path: string,
  edits: readonly EditArgument[],
  how: { dryRun: boolean; ifHash: string | undefined },
  { engine, session, signal }: ToolContext,
) {
  const remembered = session.readTexts?.lastOf(path);
  const done = await engine.files.editList(path, listedEdits(edits), {
    ...how,
    name: path,
    context: 4,
    remembered,
    signal,
  });
  if ('refusal' in done.result && done.result.refusal.why === 'stale-anchors') {
    // The answer shows the client the lines as they are now, so later anchors refer to those.
    const { bytes } = await engine.files.read(path, { signal });
    session.readTexts ??= new ReadTexts();
    session.readTexts.remember(path, done.hash, bytes);
  }
  return done;
}
