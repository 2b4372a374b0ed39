/** One call of an offered tool, from its arguments to what is told: every way to call a tool leads through here. */
import { randomUUID } from 'node:crypto';
import { type CallContext, callTool } from '../../dialects/call.ts';
import {
  type Session,
  type ToolContext,
  type ToolOutcome,
  type ToolResult,
  type TracedFailure,
  text,
} from '../../dialects/dialect.ts';
import { anonymous, type Caller, type Origin } from '../../engine/index.ts';
import { tracing } from '../../trace/caller.ts';
import type { CallTrace, TracedAnswer } from '../../trace/recorder.ts';
import type { App, OfferedTool } from './app.ts';
import { INTERNAL_ERROR } from './json-rpc.ts';
import { ProgressReporter } from './progress.ts';

export interface Call {
  app: App;
  /** What the conversation keeps between its calls. */
  state: Session;
  /** The conversation's random id; no client knows it. */
  sessionId: string;
  offered: OfferedTool;
  args: unknown;
  signal: AbortSignal;
  /** What the client sent along with the call. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  progress?: ToolContext['progress'] | undefined;
  explain?: ToolContext['explain'] | undefined;
}

/** Never rejects: a fault of the server is told to the operator in full and to the client as an internal error. */
export async function perform(call: Call): Promise<ToolOutcome> {
  const { app, offered, args, meta } = call;
  const origin = originOf(call);
  let trace: CallTrace | undefined;
  const heartbeat = call.progress && new ProgressReporter(call.progress, call.signal, offered.name);
  try {
    trace = app.trace?.begin({ ...origin, arguments: args, traceparent: meta?.traceparent });
    const notes: string[] = [];
    const caller = {
      ...(trace ? tracing(trace, origin) : { ...anonymous, origin }),
      told: (note: string) => void notes.push(note),
    };
    const context = { ...contextOf(call, caller, heartbeat), notes, calledAs: offered.name };
    const { failure, ...ended } = await callTool(offered.dialect, offered.tool, args, context);
    const outcome = app.errors === 'results' ? asResult(ended) : ended;
    trace?.answered(tracedAnswer(outcome, failure));
    return outcome;
  } catch (error) {
    trace?.answered({ bytesOut: 0, failure: 'internal' });
    const who = app.who === undefined ? '' : ` for ${app.who}`;
    const { name } = offered.tool;
    app.log(`${name}${who}: unexpected ${error instanceof Error ? error.stack : String(error)}`);
    const outcome = { error: { code: INTERNAL_ERROR, message: `Internal error in ${name}` } };
    return app.errors === 'results' ? asResult(outcome) : outcome;
  } finally {
    heartbeat?.end();
  }
}

/** Under this name in `_meta` a result tells the JSON-RPC error that it stands for. */
const ERROR_META = 'cofferdam/error';

/** The same words, for clients whose agent stops at an error of the protocol. */
function asResult(outcome: ToolOutcome): ToolOutcome {
  if ('result' in outcome) return outcome;
  const { message, ...facts } = outcome.error;
  return { result: { content: [text(message)], isError: true, _meta: { [ERROR_META]: facts } } };
}

const sessionIds = new WeakMap<Session, string>();

/** The id of the conversation that keeps this state, the same for as long as the state lives. */
export function sessionIdOf(state: Session): string {
  let id = sessionIds.get(state);
  if (id === undefined) {
    id = randomUUID();
    sessionIds.set(state, id);
  }
  return id;
}

/** Gives back what a conversation kept. */
export function endState(state: Session): void {
  const { workspace } = state;
  delete state.workspace;
  void workspace?.close();
}

interface FullOrigin extends Origin {
  dialect: string;
  tool: string;
}

function originOf({ app: { who }, sessionId: session, offered }: Call): FullOrigin {
  const { dialect, tool } = offered;
  return { session, ...(who !== undefined && { who }), dialect: dialect.name, tool: tool.name };
}

function tracedAnswer(outcome: ToolOutcome, failure: TracedFailure | undefined): TracedAnswer {
  const text = 'result' in outcome ? textOf(outcome.result) : outcome.error.message;
  const isError = 'error' in outcome || outcome.result.isError === true;
  const kind = failure?.kind ?? (isError ? 'tool-error' : undefined);
  return {
    bytesOut: Buffer.byteLength(text),
    text,
    ...(kind !== undefined && { failure: kind }),
  };
}

/** What a model gets to read of an answer. */
function textOf({ content }: ToolResult): string {
  if (content.length === 1 && content[0]!.type === 'text') return content[0]!.text;
  return content.map((item) => (item.type === 'text' ? item.text : item.resource.blob)).join('\n');
}

function contextOf(
  { app, state, signal, explain }: Call,
  caller: Caller,
  heartbeat: ProgressReporter | undefined,
): CallContext {
  const { engine, home, settings } = app;
  return {
    engine: engine.as(caller),
    caller,
    home,
    settings,
    session: state,
    signal,
    progress: heartbeat?.progress ?? ignore,
    ...(heartbeat && { printed: heartbeat.printed }),
    ...(explain && { explain }),
  };
}

function ignore(): void {}
