/** Records an undo in the trace: it is a call like any other, from the page, the command line or a tool. */
import {
  EngineFailure,
  type JournalEntry,
  type Origin,
  StateProblem,
  sentenceWithoutContents,
  type UndoOptions,
  type UndoOutcome,
} from '../engine/index.ts';
import type { Recorder } from './recorder.ts';
import { tracedCaller } from './traced-caller.ts';

/** The history of a running engine or of a state directory. */
export interface UndoableHistory {
  entry(id: string): Promise<JournalEntry | undefined>;
  undo(id: string, options: UndoOptions): Promise<UndoOutcome | undefined>;
}

export interface TracedUndo {
  force: boolean;
  origin?: Origin;
  /** Called when the undo has changed something, even if it fails after that. */
  onChanged?(): void;
}

export async function tracedUndo(
  history: UndoableHistory,
  recorder: Recorder,
  id: string,
  { force, origin = {}, onChanged }: TracedUndo,
): Promise<UndoOutcome | undefined> {
  const entry = await history.entry(id);
  const full = { ...origin, dialect: 'cofferdam', tool: await verbFor(history, entry) };
  const trace = recorder.begin({ ...full, roots: entry?.roots ?? [], arguments: { entry: id, force } });
  const caller = tracedCaller(trace, full);
  const entered = (own: string) => {
    onChanged?.();
    caller.entered(own);
  };
  try {
    const outcome = await history.undo(id, { force, caller: { ...caller, entered } });
    const obstacles = outcome && !outcome.done ? outcome.obstacles : [];
    for (const { path } of obstacles) trace.touched({ path, how: 'looked-at' });
    trace.answered({
      bytesOut: 0,
      ...(!outcome?.done && { failure: 'in-the-way', reason: whyNot(obstacles) }),
    });
    return outcome;
  } catch (error) {
    // If the state directory cannot be used, the trace cannot be written either: one error message is enough.
    if (error instanceof StateProblem) throw error;
    if (!(error instanceof EngineFailure)) trace.answered({ bytesOut: 0, failure: 'internal' });
    else {
      const { facts } = error;
      trace.answered({ bytesOut: 0, failure: facts.kind, reason: sentenceWithoutContents(facts) });
    }
    throw error;
  }
}

function whyNot(obstacles: readonly { path: string; why: string }[]): string {
  const [first] = obstacles;
  if (!first) return 'there is no such entry any more';
  const more = obstacles.length > 1 ? `; and ${obstacles.length - 1} more` : '';
  return `${first.path}: ${first.why}${more}`;
}

/** Undoing an undo is a redo, undoing a redo is an undo, and so on. */
async function verbFor(history: UndoableHistory, entry: JournalEntry | undefined): Promise<'undo' | 'redo'> {
  let redoes = false;
  for (let each = entry; each?.undoes !== undefined; each = await history.entry(each.undoes)) {
    redoes = !redoes;
  }
  return redoes ? 'redo' : 'undo';
}
