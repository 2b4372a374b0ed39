/** Runs one call of an offered tool, from its arguments to its outcome, for all transports and the CLI. */
import { type CallContext, callTool } from '../../dialects/call.ts';
import {
  type Content,
  type Session,
  type ToolContext,
  type ToolOutcome,
  type ToolResult,
  type TracedFailure,
  text,
} from '../../dialects/dialect.ts';
import {
  anonymous,
  type Caller,
  type Engine,
  inTurns,
  type Origin,
  sentenceWithoutContents,
  Yielder,
} from '../../engine/index.ts';
import { measuringJson } from '../../json/json-size.ts';
import type { CallTrace, TracedAnswer } from '../../trace/recorder.ts';
import { tracedCaller } from '../../trace/traced-caller.ts';
import { unexpected } from '../../unexpected.ts';
import type { App, OfferedTool } from './app.ts';
import { type ClientRoots, type EngineLease, tracedRoots } from './client-roots.ts';
import { asConfigured } from './error-results.ts';
import { internalError } from './messages/internal-error.ts';
import { ProgressReporter } from './progress.ts';
import { withChange } from './views/change-note.ts';

const MAX_SHORT = 4096;
const FAULT = 'an internal error: the server log on standard error has the details';

export interface ToolCall {
  app: App;
  /** What the session remembers between its calls. */
  state: Session;
  /** The session's random id in the trace; no client knows it. */
  sessionId: string;
  offered: OfferedTool;
  args: unknown;
  signal: AbortSignal;
  /** The `_meta` that the client sent with the call. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  progress?: ToolContext['progress'] | undefined;
  /** The client's roots, if they restrict the served directories. */
  roots?: ClientRoots | undefined;
  explain?: ToolContext['explain'] | undefined;
  /** Whether the client shows a view of what the call has changed. */
  hasViews?: boolean | undefined;
}

/** Never rejects. If the server fails, the operator's log gets all details and the client an internal error. */
export async function perform(call: ToolCall): Promise<ToolOutcome> {
  const { app, offered, args, meta } = call;
  const origin = originOf(call);
  let trace: CallTrace | undefined;
  const reporter = call.progress && new ProgressReporter(call.progress, call.signal, offered.name);
  let lease: EngineLease | undefined;
  let arrival: ReturnType<Engine['arrive']> | undefined;
  try {
    // Take the roots first and the place in the call order second. Opening roots waits for all calls that have a place,
    // so otherwise this call would wait for itself.
    const taking = call.roots?.take();
    const served = taking instanceof Promise ? await taking : taking;
    arrival = app.engine.arrive();
    const roots = tracedRoots(served);
    // Every call makes these objects: naming all members takes V8 a fraction of the time that a spread takes.
    const { session, who, dialect, tool } = origin;
    const traceparent = meta?.traceparent;
    trace = app.trace?.begin({ session, who, dialect, tool, arguments: args, roots, traceparent });
    if (typeof served === 'string') {
      const outcome = { result: { content: [text(served)], isError: true } };
      trace?.answered(tracedAnswer(outcome, { kind: 'no-roots', sentence: served }, undefined));
      return outcome;
    }
    lease = served;
    const notes: string[] = [];
    const additions = { notedForClient: (note: string) => void notes.push(note), arrival };
    const plain = trace ? tracedCaller(trace, origin, additions) : { ...anonymous, ...additions, origin };
    const entryIds: string[] = [];
    const caller = call.hasViews ? listingEntries(plain, entryIds) : plain;
    const engine = lease?.engine ?? app.engine;
    const context = contextOf(call, { engine: engine.as(caller), caller, notes, reporter });
    const ended = await callTool(offered.dialect, offered.tool, args, context);
    const { failure } = ended;
    const answer = failure === undefined ? ended : withoutFailure(ended);
    const answered = asConfigured(app, answer);
    const outcome = call.hasViews ? withChange(answered, entryIds, call) : answered;
    if (trace) {
      const measuring = bytesOf(args);
      const bytesIn = typeof measuring === 'number' ? measuring : await measuring;
      trace.answered(tracedAnswer(outcome, failure, bytesIn));
    }
    return outcome;
  } catch (error) {
    trace?.answered({ bytesOut: 0, failure: 'internal', reason: FAULT });
    const who = app.who === undefined ? '' : ` for ${app.who}`;
    const { name } = offered.tool;
    app.log(`${name}${who}: ${unexpected(error)}`);
    return asConfigured(app, { error: internalError(name, error) });
  } finally {
    arrival?.markNamed();
    lease?.release();
    reporter?.end();
  }
}

/** A caller that also lists the journal entries of the call, for a view that shows what the call has changed. */
function listingEntries(caller: Caller, entryIds: string[]): Caller {
  return {
    ...caller,
    entered(id) {
      caller.entered(id);
      entryIds.push(id);
    },
  };
}

/**
 * The length of the arguments as JSON. Long arguments are measured in turns: they may have many megabytes, and may be
 * nested deeper than the stack allows.
 */
function bytesOf(args: unknown): number | Promise<number> {
  if (args === undefined) return 0;
  return isShort(args) ? Buffer.byteLength(JSON.stringify(args)) : bytesOfLong(args);
}

async function bytesOfLong(args: unknown): Promise<number> {
  try {
    return await inTurns(measuringJson(args), new Yielder(undefined));
  } catch {
    return 0;
  }
}

/** Whether the arguments are a few short texts and numbers: writing those is five times as fast as measuring them. */
function isShort(args: unknown): boolean {
  let room = MAX_SHORT;
  for (const value of Object.values(args as object)) {
    if (typeof value === 'object' && value !== null) return false;
    room -= typeof value === 'string' ? value.length : 1;
    if (room < 0) return false;
  }
  return true;
}

interface FullOrigin extends Origin {
  dialect: string;
  tool: string;
}

function originOf({ app: { who }, sessionId: session, offered }: ToolCall): FullOrigin {
  const dialect = offered.dialect.name;
  const tool = offered.tool.name;
  return who === undefined ? { session, dialect, tool } : { session, who, dialect, tool };
}

function tracedAnswer(
  outcome: ToolOutcome,
  failure: TracedFailure | undefined,
  bytesIn: number | undefined,
): TracedAnswer {
  const text = 'result' in outcome ? textOf(outcome.result) : outcome.error.message;
  const isError = 'error' in outcome || outcome.result.isError === true;
  const kind = failure?.kind ?? (isError ? 'tool-error' : undefined);
  const reason = failure && sentenceOf(failure);
  return { bytesIn, bytesOut: Buffer.byteLength(text), text, failure: kind, reason };
}

function sentenceOf(failure: TracedFailure): string {
  return 'sentence' in failure ? failure.sentence : sentenceWithoutContents(failure);
}

/** The part of a result that a model reads. */
function textOf({ content }: ToolResult): string {
  if (content.length === 1 && content[0]!.type === 'text') return content[0]!.text;
  return content.map(contentAsText).join('\n');
}

function contentAsText(item: Content): string {
  if (item.type === 'text') return item.text;
  return item.type === 'resource' ? item.resource.blob : item.data;
}

interface ContextParts {
  engine: Engine;
  caller: Caller;
  notes: string[];
  reporter: ProgressReporter | undefined;
}

function contextOf({ app, state, signal, explain, offered }: ToolCall, parts: ContextParts): CallContext {
  const { engine, caller, notes, reporter } = parts;
  const { home, settings, maxTokens } = app;
  return {
    engine,
    caller,
    home,
    settings,
    maxTokens,
    session: state,
    signal,
    progress: reporter?.progress ?? ignore,
    printed: reporter?.printed,
    explain,
    notes,
    calledAs: offered.name,
  };
}

/** The outcome without its failure, which is only for the trace. */
function withoutFailure(outcome: ToolOutcome): ToolOutcome {
  return 'result' in outcome ? { result: outcome.result } : { error: outcome.error };
}

function ignore(): void {}
