/** `cofferdam undo` and `redo`, with their line in the trace. */
import { History } from '../engine/index.ts';
import type { CommandTo } from './arguments/parse.ts';
import { redo, undo } from './history.ts';
import { printOutcome } from './output.ts';
import type { Surroundings } from './surroundings.ts';
import { openRecorder } from './tracing.ts';

export async function undoOrRedo(
  command: CommandTo<'undo' | 'redo'>,
  surroundings: Surroundings,
): Promise<number> {
  const { directory } = command.state;
  const recorder = openRecorder({ directory, roots: [], contents: false, ...surroundings });
  const history = new History(directory);
  try {
    const outcome = await history.keepOpen(() =>
      command.do === 'undo' ? undo(history, recorder, command) : redo(history, recorder, command),
    );
    return await printOutcome(outcome);
  } finally {
    await recorder.close();
  }
}
