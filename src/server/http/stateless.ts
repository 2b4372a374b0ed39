/**
 * Serves clients of protocol version 2026-07-28, which has no sessions.
 *
 * The protocol library works with web-standard Request and Response objects. Building those takes longer than a call,
 * so the library gets an object with only the members that it reads, and a plain result is written directly.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  type McpServer,
  preloadSchemas,
  SERVER_INFO_META_KEY,
  type Server,
  type ServerEventBus,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Session, ToolResult } from '../../dialects/dialect.ts';
import { MAX_MESSAGE_BYTES } from '../../dialects/results/result-size.ts';
import type { App } from '../mcp/app.ts';
import { Cancellation } from '../mcp/cancellation.ts';
import { withExactCode } from '../mcp/library/exact-codes.ts';
import { createSession } from '../mcp/library/session.ts';
import { serverDescription } from '../mcp/messages/initialize.ts';
import { isLong, type Json, longAnswer } from '../mcp/messages/json-in-turns.ts';
import { asJson } from '../mcp/messages/messages.ts';
import { LISTEN, ListenedResources } from '../mcp/resources/listened-resources.ts';
import { resourceDialect } from '../mcp/resources/resource-methods.ts';
import { endState, sessionIdOf } from '../mcp/session-state.ts';
import { ToolCalls } from '../mcp/tools/tool-calls.ts';
import type { HttpLimits } from '../web/limits.ts';
import { eventOf, type Refusal, type Reply } from '../web/reply.ts';
import { fixedWorkspace } from './address.ts';
import { envelopeOf, KnownEnvelopes } from './known-envelopes.ts';
import type { Principal } from './principal.ts';
import type { CreateServer } from './sessions/sessions.ts';

type LibraryServer = Server | McpServer;

/** The library's status for a cancelled request. A client that is still connected gets it only if the server stops. */
const CANCELLED = 499;
/** The server remembers a hash in place of a client name that is longer than this. */
const MAX_REMEMBERED = 200;
const ENDING: Refusal = { status: 503, retryAfter: 5, message: 'The server is shutting down' };

/**
 * On the first request, the library would build its schemas and Node would load its web standards. Each takes longer
 * than one turn of the event loop should, and neither can be split. So the server does both before it listens.
 */
function prepareLibrary(): void {
  preloadSchemas();
  Reflect.get(globalThis, 'Response');
}

/** The members of a Request that the library reads. */
class StatelessRequest {
  readonly method = 'POST';
  readonly headers: { get(name: string): string | null };
  readonly signal: AbortSignal;
  readonly createServer: () => LibraryServer;

  constructor({ headers }: IncomingMessage, signal: AbortSignal, createServer: () => LibraryServer) {
    this.headers = { get: (name) => oneOf(headers[name.toLowerCase()]) };
    this.signal = signal;
    this.createServer = createServer;
  }
}

export interface StatelessCall {
  reply: Reply;
  message: unknown;
  /** Whether the library would accept the call, as known-envelopes.ts explains. */
  isKnown: boolean;
  principal: Principal;
  app: App;
  /** The directory that the URL names as the workspace. */
  workspace: string | undefined;
  /** Whether the client accepts a stream of events. */
  mayStream: boolean;
  now: number;
}

export class Stateless {
  readonly #handler: McpHttpHandler;
  readonly #create: CreateServer;
  /** Whether `createSession` makes the sessions: only their calls may bypass the library. */
  readonly #isOwn: boolean;
  readonly #known = new KnownEnvelopes();
  /** The calls under way that bypass the library. */
  readonly #calls = new Map<Cancellation, Reply>();

  readonly #listened: ListenedResources;

  constructor(app: App, create: CreateServer, limits: HttpLimits, bus?: ServerEventBus) {
    prepareLibrary();
    this.#create = create;
    this.#isOwn = create === createSession;
    this.#handler = createMcpHandler(
      ({ requestInfo }) => (requestInfo as unknown as StatelessRequest).createServer(),
      { legacy: 'reject', keepAliveMs: limits.heartbeatMs, ...(bus && { bus }) },
    );
    const { notify } = this.#handler;
    this.#listened = new ListenedResources(app, {
      updated: (uri) => notify.resourceUpdated(uri),
      listChanged: () => notify.resourcesChanged(),
    });
  }

  /** Whether a message is a call that the library would accept. */
  knows(headers: IncomingHttpHeaders, message: unknown): boolean {
    const envelope = envelopeOf(headers, message);
    return envelope !== undefined && this.#known.has(envelope);
  }

  async answer(incoming: StatelessCall): Promise<Refusal | undefined> {
    const { reply, message, principal, app, mayStream } = incoming;
    const shared = await stateFor(incoming);
    if ('status' in shared) return shared;
    if (mayStream) reply.onSlow = () => reply.startEvents();
    const cancellation = new Cancellation();
    reply.onDisconnect = () => cancellation.abort();
    reply.isEndless = isMethod(message, LISTEN);
    const listener = Symbol('listener');
    try {
      if (resourceDialect(app)) await this.#listened.open(listener, message);
      if (incoming.isKnown) {
        await this.#call(incoming, shared.state, cancellation);
        return undefined;
      }
      const envelope =
        this.#isOwn && !app.clientRoots ? envelopeOf(reply.request.headers, message) : undefined;
      const answered = () => envelope !== undefined && this.#known.add(envelope);
      const shares = { callLimit: principal.callLimit, state: shared.state };
      const request = new StatelessRequest(reply.request, cancellation.signal, () =>
        answeringDirectly(this.#create(app, shares), reply, answered),
      );
      const response = await this.#handler.fetch(request as unknown as Request, { parsedBody: message });
      if (!reply.done) await forward(response, reply);
      return undefined;
    } finally {
      this.#listened.close(listener);
      shared.release();
    }
  }

  /** Runs a call that the library would accept, without the library: see known-envelopes.ts. */
  async #call({ reply, message, app, principal }: StatelessCall, state: Session, cancellation: Cancellation) {
    const { id, params = {} } = message as JSONRPCRequest;
    const { callLimit } = principal;
    const calls = new ToolCalls({ app, state, sessionId: sessionIdOf(state), callLimit });
    this.#calls.set(cancellation, reply);
    const { _meta: meta } = params;
    const capabilities = meta?.[CLIENT_CAPABILITIES_META_KEY];
    const outcome = await calls.call(params, { signal: cancellation.signal, meta, capabilities });
    this.#calls.delete(cancellation);
    if (cancellation.signal.aborted) return;
    const answer = 'result' in outcome ? { result: stamped(app, outcome.result) } : { error: outcome.error };
    await sendMessage(reply, 200, { jsonrpc: '2.0', id, ...answer } as JSONRPCMessage);
  }

  close(): Promise<void> {
    this.#listened.end();
    for (const [cancellation, reply] of this.#calls) {
      cancellation.abort();
      reply.refuse(ENDING);
    }
    return this.#handler.close();
  }
}

/** The state that a request shares with earlier ones: none, unless its URL or its token identifies the client. */
async function stateFor({
  message,
  principal,
  app,
  workspace,
  now,
}: StatelessCall): Promise<{ state: Session; release(): void } | Refusal> {
  if (workspace !== undefined) {
    const state = await fixedWorkspace(app, workspace);
    return 'status' in state ? state : { state, release: () => endState(state) };
  }
  if (!principal.grant.oneClient) return { state: {}, release: () => {} };
  const dialect = app.dialects[0]!.name;
  // A client that sends server/discover has just started and has chosen no workspace.
  if (isMethod(message, 'server/discover')) principal.forget(dialect);
  return principal.stateOf(dialect, clientOf(message), now);
}

/** Marks a result as the library marks results of this protocol version. */
function stamped(app: App, { _meta, ...result }: ToolResult): object {
  const { serverInfo } = serverDescription(app);
  return { ...result, resultType: 'complete', _meta: { ..._meta, [SERVER_INFO_META_KEY]: serverInfo } };
}

/** Writes a result directly if no notification came before it, and closes the library's side of the exchange. */
function answeringDirectly<T extends LibraryServer>(server: T, reply: Reply, answered: () => void): T {
  const connect = server.connect.bind(server);
  server.connect = (transport: Transport) => {
    const send = transport.send.bind(transport);
    let streaming = false;
    transport.send = async (message, options) => {
      if ('result' in message && !streaming) {
        answered();
        await sendMessage(reply, 200, message);
        await transport.close();
        return;
      }
      streaming ||= 'method' in message;
      await send(withExactCode(message), options);
    };
    return connect(transport);
  };
  return server;
}

async function forward(response: Response, reply: Reply): Promise<void> {
  if (response.status === CANCELLED) {
    reply.refuse(ENDING);
    return;
  }
  if (response.body === null) {
    reply.empty(response.status);
    return;
  }
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const body = await response.text();
    // The library has written the JSON already: parsing and writing it again would keep other clients waiting.
    if (!reply.streaming && Buffer.byteLength(body) <= MAX_MESSAGE_BYTES) reply.json(response.status, body);
    else await sendMessage(reply, response.status, JSON.parse(body) as JSONRPCMessage);
    return;
  }
  reply.startEvents();
  const reader = response.body.getReader();
  const gone = reply.onDisconnect;
  reply.onDisconnect = () => {
    gone?.();
    void reader.cancel().catch(() => {});
  };
  for (let part = await reader.read(); !part.done; part = await reader.read()) reply.write(part.value);
  reply.end();
}

/** Gives a promise if the message is long and must be written in turns. */
function sendMessage(reply: Reply, status: number, message: JSONRPCMessage): Promise<void> | undefined {
  if (isLong(message)) return longAnswer(message).then((json) => sendJson(reply, status, json));
  sendJson(reply, status, asJson(message));
  return undefined;
}

/** Sends JSON as the body, or as an event if the reply has become a stream because it took long. */
function sendJson(reply: Reply, status: number, json: Json): void {
  if (!reply.streaming) {
    reply.json(status, json);
    return;
  }
  for (const part of eventOf(json)) reply.write(part);
  reply.end();
}

function isMethod(message: unknown, method: string): boolean {
  return (message as { method?: unknown }).method === method;
}

function clientOf(message: unknown): string {
  const { params } = message as JSONRPCMessage & { params?: { _meta?: Record<string, unknown> } };
  const info = params?._meta?.[CLIENT_INFO_META_KEY] as { name?: unknown } | undefined;
  const name = typeof info?.name === 'string' ? info.name : '';
  // The server remembers the name: a hash of a long one saves memory and still differs from others.
  return name.length <= MAX_REMEMBERED ? name : createHash('sha256').update(name).digest('base64');
}

function oneOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  return typeof header === 'string' ? header : header.join(', ');
}
