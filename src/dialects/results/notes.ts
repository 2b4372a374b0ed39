/** Adds notes for the client to a tool result: each is a text item of its own at the end. */
import { type ToolOutcome, text } from '../dialect.ts';

/** Leaves the result itself as its dialect worded it. A protocol error carries the notes in its message. */
export function withNotes<T extends ToolOutcome>(outcome: T, notes: readonly string[]): T {
  if (notes.length === 0) return outcome;
  const [...each] = new Set(notes);
  if ('result' in outcome) {
    const { result } = outcome;
    return { ...outcome, result: { ...result, content: [...result.content, ...each.map(text)] } };
  }
  return { ...outcome, error: { ...outcome.error, message: [outcome.error.message, ...each].join('\n') } };
}
