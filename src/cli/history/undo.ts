/** `cofferdam undo` and `redo`, which the trace records, too. */
import { History } from '../../engine/index.ts';
import { openRecorder } from '../../trace/open.ts';
import type { CommandTo } from '../arguments/parse.ts';
import { printOutcome } from '../output.ts';
import { withState } from '../state/fleet.ts';
import type { Surroundings } from '../surroundings.ts';
import { redo, undo } from './history.ts';

export async function undoOrRedo(
  command: CommandTo<'undo' | 'redo'>,
  surroundings: Surroundings,
): Promise<number> {
  return withState(command.state, async (source) => {
    const recorder = openRecorder({ source, roots: [], contents: false, ...surroundings });
    const history = new History(source);
    try {
      const outcome = await history.keepOpen(() =>
        command.do === 'undo' ? undo(history, recorder, command) : redo(history, recorder, command),
      );
      return await printOutcome(outcome);
    } finally {
      await recorder.close();
    }
  });
}
