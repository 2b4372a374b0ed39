/**
 * A session on stdio with a client that begins with `initialize`, as nearly all of them do.
 *
 * Such a client needs few methods. Answering them here saves loading the protocol library, which takes longer than
 * the rest of the start. The library serves all other clients; test/server/lanes.test.ts compares the answers of both.
 */
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { Session, ToolContext, ToolOutcome } from '../../dialects/dialect.ts';
import type { App, OfferedTool } from '../mcp/app.ts';
import { newCallLimit } from '../mcp/concurrency-limit.ts';
import { initializeResult, whyNotInitialize } from '../mcp/initialize.ts';
import { type Id, INVALID_PARAMS, METHOD_NOT_FOUND } from '../mcp/json-rpc.ts';
import { offeredTools, unknownTool } from '../mcp/offered-tools.ts';
import { perform } from '../mcp/perform.ts';
import { traceInvalidCall, traceUnknownTool } from '../mcp/refused-calls.ts';
import { endState, sessionIdOf } from '../mcp/session-state.ts';
import type { LineTransport } from './line-transport.ts';

type Params = Record<string, unknown>;
type Outcome = { result: object } | Extract<ToolOutcome, { error: unknown }>;

export class Conversation {
  readonly #app: App;
  readonly #wire: LineTransport;
  readonly #state: Session = {};
  readonly #callLimit = newCallLimit();
  /** The calls under way, by id, so that the client can cancel them. */
  readonly #calls = new Map<Id, AbortController>();
  #ended = false;

  constructor(app: App, wire: LineTransport) {
    this.#app = app;
    this.#wire = wire;
  }

  receive(message: JSONRPCMessage): void {
    // The server sends no requests, so the client has nothing to answer.
    if (!('method' in message)) return;
    if ('id' in message) this.#request(message);
    else if (message.method === 'notifications/cancelled') this.#cancel(message);
  }

  /** The transport has answered this message already. */
  invalid(message: JSONRPCMessage, answer: string): void {
    traceInvalidCall(this.#app, sessionIdOf(this.#state), message, answer);
  }

  /** The client has disconnected: nobody waits for the calls under way. */
  end(): void {
    this.#ended = true;
    endState(this.#state);
    for (const call of this.#calls.values()) call.abort();
  }

  #request({ id, method, params = {} }: JSONRPCRequest): void {
    if (method === 'tools/call') void this.#call(id, params);
    else this.#reply(id, this.#outcomeOf(method, params));
  }

  #outcomeOf(method: string, params: Params): Outcome {
    switch (method) {
      case 'initialize': {
        const problem = whyNotInitialize(params);
        if (problem !== undefined) return invalidParams(problem);
        return { result: initializeResult(this.#app, params.protocolVersion as string) };
      }
      case 'ping':
        return { result: {} };
      case 'tools/list':
        if (params.cursor !== undefined && typeof params.cursor !== 'string')
          return invalidParams('cursor must be a string');
        return { result: { tools: offeredTools(this.#app).shown } };
      default:
        return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
    }
  }

  /** The transport has checked that there is a name and that the arguments are an object. */
  async #call(id: Id, params: Params): Promise<void> {
    const name = params.name as string;
    const tools = offeredTools(this.#app);
    const found = tools.byName.get(name);
    if (!found) {
      const message = unknownTool(name, tools);
      this.#reply(id, { error: { code: INVALID_PARAMS, message } });
      traceUnknownTool(this.#app, sessionIdOf(this.#state), params, message);
      return;
    }
    const cancelling = new AbortController();
    this.#calls.set(id, cancelling);
    const outcome = await this.#callLimit.run(() => this.#perform(found, params, cancelling.signal));
    // Another call may have the same id by now.
    if (this.#calls.get(id) === cancelling) this.#calls.delete(id);
    // A call that outlived the session may have opened a workspace.
    if (this.#ended) endState(this.#state);
    if (cancelling.signal.aborted) return;
    this.#reply(id, 'result' in outcome ? { result: outcome.result } : outcome);
  }

  #perform(offered: OfferedTool, params: Params, signal: AbortSignal): Promise<ToolOutcome> {
    const meta = params._meta as Params | undefined;
    return perform({
      app: this.#app,
      state: this.#state,
      sessionId: sessionIdOf(this.#state),
      offered,
      args: params.arguments,
      signal,
      meta,
      progress: this.#progressFor(meta),
    });
  }

  #progressFor(meta: Params | undefined): ToolContext['progress'] | undefined {
    const progressToken = meta?.progressToken as Id | undefined;
    if (progressToken === undefined) return undefined;
    return (progress, message) => {
      const params = { progressToken, progress, message };
      void this.#wire.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    };
  }

  #cancel({ params }: JSONRPCNotification): void {
    const { requestId, reason } = (params ?? {}) as { requestId?: Id; reason?: unknown };
    if (requestId === undefined || (reason !== undefined && typeof reason !== 'string')) return;
    this.#calls.get(requestId)?.abort(reason);
  }

  #reply(id: Id, outcome: Outcome): void {
    void this.#wire.send({ jsonrpc: '2.0', id, ...outcome } as JSONRPCMessage);
  }
}

function invalidParams(problem: string): Outcome {
  return { error: { code: INVALID_PARAMS, message: `Invalid params: ${problem}` } };
}
