/** `--errors results`: a JSON-RPC error as a result with the same text, for clients whose agent stops at an error. */
import { type ResultOutcome, type ToolOutcome, text } from '../../dialects/dialect.ts';
import type { App } from './app.ts';

/** The name in `_meta` under which a result carries the JSON-RPC error that it stands for. */
const ERROR_META = 'cofferdam/error';

export function asResult(outcome: ToolOutcome): ResultOutcome {
  if ('result' in outcome) return outcome;
  const { message, ...facts } = outcome.error;
  return { result: { content: [text(message)], isError: true, _meta: { [ERROR_META]: facts } } };
}

export function asConfigured({ errors }: App, outcome: ToolOutcome): ToolOutcome {
  return errors === 'results' ? asResult(outcome) : outcome;
}
