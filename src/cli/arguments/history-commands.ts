/** Parses the commands that read the stored history or trace and serve nothing. */
import type { EncodingRule } from '../../engine/index.ts';
import { isLoopback } from '../../server/web/host-and-origin.ts';
import type { TraceFilter } from '../../trace/show.ts';
import type { ForgetArguments } from '../history/forget.ts';
import type { HistoryRequest, UndoRequest } from '../history/history.ts';
import { UsageError } from '../usage-error.ts';
import { parseHttp } from './options/http-flags.ts';
import { wholeNumberOf } from './options/option-value.ts';
import { parseTime, type StateSettings } from './options/state-flags.ts';
import { isNamedRoot, toNamedRoot } from './roots.ts';
import type { OptionValues } from './split.ts';

export type HistoryCommand =
  | ({ do: 'history'; state: StateSettings } & HistoryRequest)
  | { do: 'diff'; entry: string; encodings: readonly EncodingRule[]; state: StateSettings }
  | ({ do: 'undo'; state: StateSettings } & UndoRequest)
  | ({ do: 'redo'; state: StateSettings } & Omit<UndoRequest, 'since'>)
  | ({ do: 'forget'; state: StateSettings } & ForgetArguments)
  | { do: 'trace'; asked: TraceRequest; state: StateSettings };

export interface TraceRequest extends TraceFilter {
  follow: boolean;
  json: boolean;
  limit: number | undefined;
  /** The port of the page, or 0 for any free one. Undefined: show the trace in the terminal. */
  webPort: number | undefined;
}

interface SharedOptions {
  state: StateSettings;
  json: boolean;
  encodings: readonly EncodingRule[];
}

export function parseHistoryCommand(
  command: HistoryCommand['do'],
  all: readonly string[],
  values: OptionValues,
  { state: given, json, encodings }: SharedOptions,
): HistoryCommand {
  // In a fleet, DIR=NAME says where a directory is on this machine. The other arguments are for the command.
  const roots = given.address === undefined ? [] : all.filter(isNamedRoot).map(toNamedRoot);
  const rest = given.address === undefined ? all : all.filter((text) => !isNamedRoot(text));
  const state = { ...given, roots };
  const force = values.force === true;
  const dryRun = values['dry-run'] === true;
  const since = values.since === undefined ? undefined : parseTime(values.since as string, new Date());
  const limit = values.limit === undefined ? undefined : wholeNumberOf('limit', values.limit as string, 1);
  const [what] = rest;
  switch (command) {
    case 'history':
      requireAtMost(rest, 1, command);
      return { do: 'history', directory: what, since, json, limit, state };
    case 'diff':
      if (what === undefined) throw new UsageError('diff needs an entry: cofferdam diff ENTRY');
      requireAtMost(rest, 1, command);
      return { do: 'diff', entry: what, encodings, state };
    case 'undo':
      requireAtMost(rest, 1, command);
      return { do: 'undo', what, since, force, dryRun, state };
    case 'redo':
      requireAtMost(rest, 1, command);
      return { do: 'redo', what, force, dryRun, state };
    case 'forget':
      return {
        do: 'forget',
        what: rest,
        all: values.all === true,
        dryRun,
        state,
      };
    case 'trace':
      requireAtMost(rest, 0, command);
      return { do: 'trace', asked: traceRequest(values, json, limit), state };
  }
}

function traceRequest(values: OptionValues, json: boolean, limit: number | undefined): TraceRequest {
  const { tool, path, failed, follow, web } = values as Partial<Record<string, string & true>>;
  if (values.http !== undefined && !web)
    throw new UsageError('--http is for the page: trace --web --http PORT');
  const unused = web ? ['tool', 'path', 'failed', 'follow', 'limit', 'json'] : [];
  const alone = unused.find((name) => values[name] !== undefined);
  if (alone)
    throw new UsageError(`--${alone} is for the terminal: the page of trace --web has filters of its own`);
  const { host, port, lastPort } = parseHttp({ http: values.http as string | undefined }) ?? {
    host: '127.0.0.1',
    port: 0,
    lastPort: undefined,
  };
  if (web && (!isLoopback(host) || lastPort !== undefined))
    throw new UsageError('the page of trace --web is for this machine: --http PORT');
  return {
    ...{ tool, path, failed: failed === true, follow: follow === true, json, limit },
    webPort: web ? port : undefined,
  };
}

export function requireAtMost(rest: readonly string[], most: number, command: string): void {
  const extra = rest[most];
  if (extra !== undefined) throw new UsageError(`${command} takes no further argument: ${extra}`);
}
