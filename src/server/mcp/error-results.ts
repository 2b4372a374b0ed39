/** Turns JSON-RPC errors into results with the same text (`--errors results`), for agents that stop at an error. */
import { type ResultOutcome, type ToolOutcome, text } from '../../dialects/dialect.ts';
import type { App } from './app.ts';

/** The key in `_meta` that holds the code and data of the original JSON-RPC error. */
const ERROR_META = 'cofferdam/error';

export function asResult(outcome: ToolOutcome): ResultOutcome {
  if ('result' in outcome) return outcome;
  const { message, ...facts } = outcome.error;
  return { result: { content: [text(message)], isError: true, _meta: { [ERROR_META]: facts } } };
}

export function asConfigured({ errors }: App, outcome: ToolOutcome): ToolOutcome {
  return errors === 'results' ? asResult(outcome) : outcome;
}
