/** Edits by anchors speak of the text that the client has read: what it has seen is remembered, before and after. */
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
  if (edits.some(({ lines }) => lines !== undefined) && !how.dryRun) {
    // The answer shows the client what is there now: later anchors speak of that.
    const { bytes } = await engine.files.read(path, { signal });
    session.readTexts ??= new ReadTexts();
    session.readTexts.remember(path, done.hash, bytes);
  }
  return done;
}
