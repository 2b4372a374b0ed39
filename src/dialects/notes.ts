/** What a client hears besides an answer: each note is a text item of its own behind it. */
import { type Told, text } from './dialect.ts';

/** The answer itself stays to the letter of its dialect; a protocol error has only its message to carry notes. */
export function withNotes<T extends Told>(told: T, notes: readonly string[]): T {
  const [...each] = new Set(notes);
  if (each.length === 0) return told;
  if ('answer' in told) {
    const { answer } = told;
    return { ...told, answer: { ...answer, content: [...answer.content, ...each.map(text)] } };
  }
  return { ...told, error: { ...told.error, message: [told.error.message, ...each].join('\n') } };
}
