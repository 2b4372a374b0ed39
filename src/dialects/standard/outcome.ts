/** Results of tools in the forms that this dialect gives them. */
import type { ResultOutcome, ToolResult } from '../dialect.ts';
import { text } from '../dialect.ts';

/** The hash is for programs, and where the call asks for it a last line shows it to the model too. */
export function withHash(answer: string, hash: string | undefined, isShown = false): ToolResult {
  if (hash === undefined) return { content: [text(answer)] };
  const shown = isShown
    ? `${answer}${answer === '' || answer.endsWith('\n') ? '' : '\n'}[hash ${hash}]`
    : answer;
  return { content: [text(shown)], _meta: { hash } };
}

/** A failure that a tool words itself; `kind` names it for the trace. No first line of these messages quotes contents. */
export function refused(message: string, kind: string): ResultOutcome {
  return {
    result: { content: [text(message)], isError: true },
    failure: { kind, sentence: message.split('\n', 1)[0]!.replace(/:$/, '') },
  };
}
