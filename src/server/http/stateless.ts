/**
 * Clients of protocol 2026-07-28: no session, each request stands for itself.
 *
 * The protocol library serves them on web-standard requests and answers. To build these costs more than a
 * call does, so it is given only what it looks at, and a plain result goes out without the detour.
 */
import type { IncomingMessage } from 'node:http';
import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  type JSONRPCMessage,
  type McpHttpHandler,
  type McpServer,
  type Server,
  type ServerEventBus,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Session } from '../../dialects/dialect.ts';
import type { App } from '../mcp/app.ts';
import { withExactCode } from '../mcp/exact-codes.ts';
import { asJson } from '../mcp/messages.ts';
import { endState } from '../mcp/session.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import { fixedWorkspace } from './address.ts';
import type { Holder } from './holder.ts';
import type { CreateServer } from './sessions.ts';

type Served = Server | McpServer;

/** What the library answers to a request that was cancelled; only the end of the server does that to a client that is there. */
const CANCELLED = 499;

/** What the library looks at in a request. */
class StatelessRequest {
  readonly method = 'POST';
  readonly headers: { get(name: string): string | null };
  readonly signal: AbortSignal;
  readonly createServer: () => Served;

  constructor({ headers }: IncomingMessage, signal: AbortSignal, createServer: () => Served) {
    this.headers = { get: (name) => oneOf(headers[name.toLowerCase()]) };
    this.signal = signal;
    this.createServer = createServer;
  }
}

export interface StatelessVisit {
  reply: Reply;
  message: unknown;
  holder: Holder;
  app: App;
  /** The directory that the address names as the workspace. */
  workspace: string | undefined;
  /** Whether the client takes a stream of events as an answer. */
  mayStream: boolean;
  now: number;
}

export class Stateless {
  readonly #handler: McpHttpHandler;
  readonly #create: CreateServer;

  constructor(create: CreateServer, limits: HttpLimits, bus?: ServerEventBus) {
    this.#create = create;
    this.#handler = createMcpHandler(
      ({ requestInfo }) => (requestInfo as unknown as StatelessRequest).createServer(),
      { legacy: 'reject', keepAliveMs: limits.heartbeatMs, ...(bus && { bus }) },
    );
  }

  async answer(visit: StatelessVisit): Promise<Refusal | undefined> {
    const { reply, message, holder, app, mayStream } = visit;
    const kept = await stateFor(visit);
    if ('status' in kept) return kept;
    if (mayStream) reply.onSilence = () => reply.startEvents();
    const leaving = new AbortController();
    reply.onGone = () => leaving.abort();
    reply.endless = isMethod(message, 'subscriptions/listen');
    try {
      const request = new StatelessRequest(reply.request, leaving.signal, () =>
        answeringDirectly(this.#create(app, { gate: holder.gate, state: kept.state }), reply),
      );
      const response = await this.#handler.fetch(request as unknown as Request, { parsedBody: message });
      if (!reply.done) await pass(response, reply);
      return undefined;
    } finally {
      kept.release();
    }
  }

  close(): Promise<void> {
    return this.#handler.close();
  }
}

/** What a request finds of earlier ones: nothing, unless its address or its token says whose it is. */
async function stateFor({
  message,
  holder,
  app,
  workspace,
  now,
}: StatelessVisit): Promise<{ state: Session; release(): void } | Refusal> {
  if (workspace !== undefined) {
    const state = await fixedWorkspace(app, workspace);
    return 'status' in state ? state : { state, release: () => endState(state) };
  }
  if (!holder.grant.oneClient) return { state: {}, release: () => {} };
  const dialect = app.dialects[0]!.name;
  // A client that asks who is there has just been started, and has chosen nothing yet.
  if (isMethod(message, 'server/discover')) holder.forget(dialect);
  return holder.keep(dialect, clientOf(message), now);
}

/** A result that nothing came before is written at once, and the library is told that the exchange is over. */
function answeringDirectly<T extends Served>(server: T, reply: Reply): T {
  const connect = server.connect.bind(server);
  server.connect = (transport: Transport) => {
    const send = transport.send.bind(transport);
    let streaming = false;
    transport.send = async (message, options) => {
      if ('result' in message && !streaming) {
        say(reply, 200, message);
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

async function pass(response: Response, reply: Reply): Promise<void> {
  if (response.status === CANCELLED) {
    reply.refuse({ status: 503, retryAfter: 5, message: 'The server is ending' });
    return;
  }
  if (response.body === null) {
    reply.empty(response.status);
    return;
  }
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    say(reply, response.status, (await response.json()) as JSONRPCMessage);
    return;
  }
  reply.startEvents();
  const reader = response.body.getReader();
  const gone = reply.onGone;
  reply.onGone = () => {
    gone?.();
    void reader.cancel().catch(() => {});
  };
  for (let part = await reader.read(); !part.done; part = await reader.read()) reply.write(part.value);
  reply.end();
}

/** As JSON, unless the answer has begun as a stream because it took long. */
function say(reply: Reply, status: number, message: JSONRPCMessage): void {
  if (!reply.streaming) {
    reply.json(status, asJson(message));
    return;
  }
  reply.event(message);
  reply.end();
}

function isMethod(message: unknown, method: string): boolean {
  return (message as { method?: unknown }).method === method;
}

function clientOf(message: unknown): string {
  const { params } = message as JSONRPCMessage & { params?: { _meta?: Record<string, unknown> } };
  const info = params?._meta?.[CLIENT_INFO_META_KEY] as { name?: unknown } | undefined;
  return typeof info?.name === 'string' ? info.name.slice(0, 200) : '';
}

function oneOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  return typeof header === 'string' ? header : header.join(', ');
}
