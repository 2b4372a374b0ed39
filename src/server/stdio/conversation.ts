/**
 * A session on stdio with a client that begins with `initialize`, as nearly all of them do.
 *
 * Such a client needs few methods. Answering them here saves loading the protocol library, which takes longer than
 * the rest of the start. The library serves all other clients; test/server/lanes.test.ts compares the answers of both.
 */
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { Session } from '../../dialects/dialect.ts';
import type { App, OfferedTool } from '../mcp/app.ts';
import { Cancellation } from '../mcp/cancellation.ts';
import { ClientRoots, followsRoots } from '../mcp/client-roots.ts';
import { newCallLimit } from '../mcp/concurrency-limit.ts';
import { loadPerform, type Perform } from '../mcp/load-perform.ts';
import { initializeResult, whyNotInitialize } from '../mcp/messages/initialize.ts';
import { type Id, INVALID_PARAMS, METHOD_NOT_FOUND, type Params } from '../mcp/messages/json-rpc.ts';
import { progressSender } from '../mcp/messages/progress-sender.ts';
import type { ToolCall } from '../mcp/perform.ts';
import { isResourceMethod, type ResourceMethod, resourceDialect } from '../mcp/resources/resource-methods.ts';
import type { RequestOutcome, SessionResources } from '../mcp/resources/session-resources.ts';
import { endState, sessionIdOf } from '../mcp/session-state.ts';
import { offeredTools } from '../mcp/tools/offered-tools.ts';
import { refuseUnknownTool, traceInvalidCall } from '../mcp/tools/refused-calls.ts';
import { hasViews, listedTools } from '../mcp/views/client-views.ts';
import type { LineTransport } from './line-transport.ts';

const ROOTS_CHANGED = 'notifications/roots/list_changed';

export class Conversation {
  readonly #app: App;
  readonly #wire: LineTransport;
  readonly #state: Session = {};
  readonly #callLimit = newCallLimit();
  /** The calls under way, by id, so that the client can cancel them. */
  readonly #calls = new Map<Id, Cancellation>();
  /** The requests of the server that the client has not answered. */
  readonly #asked = new Map<Id, { resolve(answer: unknown): void; reject(error: Error): void }>();
  #lastAsked = 0;
  #roots: ClientRoots | undefined;
  #hasRoots = false;
  /** The capabilities that the client announced. */
  #capabilities: unknown;
  #resources: SessionResources | undefined;
  #ended = false;
  #perform: Perform | undefined;
  /** Set while the code for calls loads; calls that arrive meanwhile wait for it, in their order. */
  #loading: Promise<Perform> | undefined;

  constructor(app: App, wire: LineTransport) {
    this.#app = app;
    this.#wire = wire;
  }

  receive(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#answered(message);
    else if ('id' in message) this.#request(message);
    else if (message.method === 'notifications/cancelled') this.#cancel(message);
    else if (message.method === 'notifications/initialized' || message.method === ROOTS_CHANGED)
      if (this.#hasRoots) this.#roots?.refresh();
  }

  /** Traces an invalid message, which the transport has already answered. */
  invalid(message: JSONRPCMessage, answer: string): void {
    traceInvalidCall(this.#app, sessionIdOf(this.#state), message, answer);
  }

  /** Called when the client has disconnected: cancels its calls under way. */
  end(): void {
    this.#ended = true;
    endState(this.#state);
    this.#resources?.end();
    this.#roots?.end();
    for (const call of this.#calls.values()) call.abort();
  }

  #request({ id, method, params = {} }: JSONRPCRequest): void {
    if (method === 'tools/call') this.#call(id, params);
    else if (isResourceMethod(method) && resourceDialect(this.#app)) void this.#resource(id, method, params);
    else this.#reply(id, this.#outcomeOf(method, params));
  }

  #outcomeOf(method: string, params: Params): RequestOutcome {
    switch (method) {
      case 'initialize': {
        const problem = whyNotInitialize(params);
        if (problem !== undefined) return invalidParams(problem);
        this.#capabilities = params.capabilities;
        this.#follow(params);
        return { result: initializeResult(this.#app, params.protocolVersion as string) };
      }
      case 'ping':
        return { result: {} };
      case 'tools/list':
        if (params.cursor !== undefined && typeof params.cursor !== 'string')
          return invalidParams('cursor must be a string');
        return { result: { tools: listedTools(this.#app, this.#capabilities) } };
      default:
        return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
    }
  }

  /** The transport has checked that the name is a string and that the arguments, if any, are an object. */
  #call(id: Id, params: Params): void {
    const found = offeredTools(this.#app).byName.get(params.name as string);
    if (!found) {
      this.#reply(id, refuseUnknownTool(this.#app, sessionIdOf(this.#state), params));
      return;
    }
    void this.#run(id, (signal) => this.#perform!(this.#toolCall(found, params, signal)));
  }

  /** Runs a call that the client may cancel, and answers it. */
  async #run(id: Id, call: (signal: AbortSignal) => Promise<RequestOutcome>): Promise<void> {
    const cancelling = new Cancellation();
    this.#calls.set(id, cancelling);
    if (this.#perform === undefined) {
      this.#loading ??= loadPerform(this.#state);
      this.#perform = await this.#loading;
    }
    const waiting = this.#callLimit.enter();
    if (waiting) await waiting;
    let outcome: RequestOutcome;
    try {
      outcome = await call(cancelling.signal);
    } finally {
      this.#callLimit.leave();
    }
    // A call that outlived the session may have opened a workspace.
    if (this.#ended) endState(this.#state);
    // Another call may have the same id by now.
    if (this.#calls.get(id) === cancelling) this.#calls.delete(id);
    if (cancelling.signal.aborted) return;
    this.#reply(id, outcome);
  }

  async #resource(id: Id, method: ResourceMethod, params: Params): Promise<void> {
    await this.#run(id, async (signal) => {
      this.#resources ??= await this.#openResources();
      return this.#resources.answer({ method, params, signal });
    });
    if (this.#ended) this.#resources?.end();
  }

  /** Loads the code for resources when the client first asks for them: most clients never do. */
  async #openResources(): Promise<SessionResources> {
    const { SessionResources } = await import('../mcp/resources/session-resources.ts');
    const options = {
      app: this.#app,
      sessionId: sessionIdOf(this.#state),
      roots: this.#roots,
      notify: (method: string, params?: Params) =>
        void this.#wire.send({ jsonrpc: '2.0', method, ...(params && { params }) } as JSONRPCMessage),
    };
    return this.#resources ?? new SessionResources(options, resourceDialect(this.#app)!);
  }

  /** Prepares to ask for the client's roots, if it has any, once the client is ready. */
  #follow({ capabilities }: Params): void {
    if (!followsRoots(this.#app)) return;
    this.#hasRoots = (capabilities as Params).roots !== undefined;
    this.#roots ??= new ClientRoots(
      this.#app,
      () => this.#ask('roots/list'),
      () => this.#resources?.rootsChanged(),
    );
  }

  /** Sends a request to the client and gives its answer. */
  #ask(method: string): Promise<unknown> {
    const id = `server-${++this.#lastAsked}`;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      void this.#wire.send({ jsonrpc: '2.0', id, method });
    });
  }

  #answered(message: JSONRPCMessage): void {
    const { id, result, error } = message as { id?: Id; result?: unknown; error?: { message?: unknown } };
    const asked = this.#asked.get(id!);
    if (!asked) return;
    this.#asked.delete(id!);
    if (error) asked.reject(new Error(String(error.message)));
    else asked.resolve(result);
  }

  #toolCall(offered: OfferedTool, params: Params, signal: AbortSignal): ToolCall {
    const meta = params._meta as Params | undefined;
    return {
      app: this.#app,
      state: this.#state,
      sessionId: sessionIdOf(this.#state),
      offered,
      args: params.arguments,
      signal,
      meta,
      progress: progressSender(
        meta,
        (notification) => void this.#wire.send({ jsonrpc: '2.0', ...notification }),
      ),
      roots: this.#roots,
      hasViews: hasViews(this.#capabilities),
    };
  }

  #cancel({ params }: JSONRPCNotification): void {
    const { requestId, reason } = (params ?? {}) as { requestId?: Id; reason?: unknown };
    if (requestId === undefined || (reason !== undefined && typeof reason !== 'string')) return;
    this.#calls.get(requestId)?.abort(reason);
  }

  #reply(id: Id, outcome: RequestOutcome): void {
    const answer =
      'result' in outcome
        ? { jsonrpc: '2.0', id, result: outcome.result }
        : { jsonrpc: '2.0', id, error: outcome.error };
    void this.#wire.send(answer as JSONRPCMessage);
  }
}

function invalidParams(problem: string): RequestOutcome {
  return { error: { code: INVALID_PARAMS, message: `Invalid params: ${problem}` } };
}
