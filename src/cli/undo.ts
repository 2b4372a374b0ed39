/** `cofferdam undo` and `redo`, with their line in the trace. */
import type { CommandTo } from './arguments/parse.ts';
import { redo, undo } from './history.ts';
import { printOutcome } from './output.ts';
import type { Surroundings } from './surroundings.ts';
import { openRecorder, TracedHistory } from './tracing.ts';

export async function undoOrRedo(
  command: CommandTo<'undo' | 'redo'>,
  surroundings: Surroundings,
): Promise<number> {
  const { directory } = command.state;
  const recorder = openRecorder({ directory, roots: [], contents: false, ...surroundings });
  const history = new TracedHistory(directory, recorder);
  try {
    const outcome =
      command.do === 'undo' ? undo(history, command) : redo(history, command.what, command.force);
    return await printOutcome(await outcome);
  } finally {
    await recorder.close();
  }
}
