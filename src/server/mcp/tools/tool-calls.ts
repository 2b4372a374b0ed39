/** Runs the tool calls of one session: finds the tool, waits for the call limit, and performs the call. */
import type { Session, ToolContext, ToolOutcome } from '../../../dialects/dialect.ts';
import type { App } from '../app.ts';
import type { ClientRoots } from '../client-roots.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';
import { type Params, SERVER_ERROR } from '../messages/json-rpc.ts';
import { perform } from '../perform.ts';
import { endState } from '../session-state.ts';
import { hasViews } from '../views/client-views.ts';
import { offeredTools } from './offered-tools.ts';
import { refuseUnknownTool } from './refused-calls.ts';

export interface CallingSession {
  app: App;
  state: Session;
  sessionId: string;
  callLimit: ConcurrencyLimit;
  roots?: ClientRoots | undefined;
  /** The capabilities that the client announced at the start of its session, if it has a session. */
  capabilities?(): unknown;
  /** Whether the session has ended and its state must be ended here. */
  isEnded?(): boolean;
  /** Called before each call. */
  beforeCall?(): void;
  /** Called after each call; settles when the session's changes are stored for other servers. */
  afterCall?(): Promise<void>;
}

export interface CallDetails {
  signal: AbortSignal;
  meta: Params | undefined;
  /** The capabilities that the client announces with this call. */
  capabilities?: unknown;
  progress?: ToolContext['progress'] | undefined;
}

export class ToolCalls {
  readonly #session: CallingSession;

  constructor(session: CallingSession) {
    this.#session = session;
  }

  /** Expects checked `params`: a name that is a string, and arguments that are an object or missing. */
  async call(params: Params, details: CallDetails): Promise<ToolOutcome> {
    const { app, state, sessionId, callLimit, roots, isEnded, beforeCall, afterCall } = this.#session;
    const offered = offeredTools(app).byName.get(params.name as string);
    if (!offered) return refuseUnknownTool(app, sessionId, { ...params, _meta: details.meta });
    const { capabilities = this.#session.capabilities?.(), ...rest } = details;
    const call = {
      ...{ app, state, sessionId, offered, args: params.arguments, roots, ...rest },
      hasViews: hasViews(capabilities),
    };
    beforeCall?.();
    const outcome = await callLimit.run(() => perform(call));
    const problem = await afterCall?.().catch((error: Error) => error);
    // A call that outlived the session may have opened a workspace.
    if (isEnded?.()) endState(state);
    if (!problem) return outcome;
    return { error: { code: SERVER_ERROR, message: `The session could not be stored: ${problem.message}` } };
  }
}
