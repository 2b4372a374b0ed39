/** The forms of this dialect's results. */
import type { ResultOutcome, ToolResult } from '../dialect.ts';
import { text } from '../dialect.ts';

/** Adds the hash for programs, and as a last line for the model where the call asks for it. */
export function withHash(answer: string, hash: string | undefined, isShown = false): ToolResult {
  if (hash === undefined) return { content: [text(answer)] };
  const shown = isShown ? withLastLine(answer, `[hash ${hash}]`) : answer;
  return { content: [text(shown)], _meta: { hash } };
}

/** The text with one more line, which follows on a line of its own. */
export function withLastLine(answer: string, line: string): string {
  return answer === '' || answer.endsWith('\n') ? `${answer}${line}` : `${answer}\n${line}`;
}

/** A failure that a tool words itself. The trace keeps `kind` and the first line, which must not quote contents. */
export function refused(message: string, kind: string): ResultOutcome {
  return {
    result: { content: [text(message)], isError: true },
    failure: { kind, sentence: message.split('\n', 1)[0]!.replace(/:$/, '') },
  };
}
