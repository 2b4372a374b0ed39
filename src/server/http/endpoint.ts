/** `/mcp` and `/mcp/<dialect>`: from an admitted request to the session or the stateless answer. */
import { classifyInboundRequest, isJsonContentType, type JSONRPCMessage } from '@modelcontextprotocol/server';
import type { App } from '../app.ts';
import { type Id, idOf, whyNotCall, whyNotMessage, whyNotMeta, withoutExtras } from '../messages.ts';
import { type BodyRoom, readBody } from './body.ts';
import type { Holder } from './holder.ts';
import type { HttpLimits } from './limits.ts';
import type { Refusal, Reply } from './reply.ts';
import type { HttpSession, Sessions } from './sessions.ts';
import type { Stateless } from './stateless.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const SESSION_NOT_FOUND = -32001;
/** The only version that knows batches. */
const WITH_BATCHES = '2025-03-26';
const MOST_IN_A_BATCH = 100;
const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', WITH_BATCHES, '2024-11-05', '2024-10-07'];
const ALLOWED = { Allow: 'POST, GET, DELETE' };

export interface Endpoint {
  limits: HttpLimits;
  sessions: Sessions;
  stateless: Stateless;
  room: BodyRoom;
  /** Calls of all tokens that are under way or waiting. */
  load(): number;
}

interface Visit {
  reply: Reply;
  holder: Holder;
  app: App;
  /** The client waits for leave before it sends the body. */
  waits: boolean;
}

export async function serveVisit(endpoint: Endpoint, visit: Visit): Promise<void> {
  const { reply } = visit;
  switch (reply.request.method) {
    case 'POST':
      return servePost(endpoint, visit);
    case 'GET':
      return serveListening(endpoint, visit);
    case 'DELETE': {
      const found = findSession(endpoint, visit);
      if ('status' in found) return reply.refuse(found);
      await found.transport.close();
      return reply.empty(204);
    }
    default:
      return reply.refuse({ status: 405, message: 'POST, GET and DELETE are served here', headers: ALLOWED });
  }
}

function serveListening(endpoint: Endpoint, visit: Visit): void {
  const { reply } = visit;
  if (!accepts(visit, 'text/event-stream'))
    return reply.refuse({ status: 406, message: 'GET opens a stream: accept text/event-stream' });
  const found = findSession(endpoint, visit);
  if ('status' in found) return reply.refuse(found);
  found.transport.listen(reply);
}

async function servePost(endpoint: Endpoint, visit: Visit): Promise<void> {
  const { reply } = visit;
  const { headers } = reply.request;
  if (!isJsonContentType(headers['content-type']))
    return reply.refuse({ status: 415, message: 'The body must be sent as Content-Type: application/json' });
  if (!accepts(visit, 'application/json'))
    return reply.refuse({ status: 406, message: 'Accept must name application/json and text/event-stream' });
  const body = await takeBody(endpoint, visit);
  if (body === undefined) return;
  const classified = classifyInboundRequest({
    httpMethod: 'POST',
    ...named('protocolVersionHeader', headers['mcp-protocol-version']),
    ...named('mcpMethodHeader', headers['mcp-method']),
    ...named('mcpNameHeader', headers['mcp-name']),
    body: body.value,
  });
  if (classified.kind === 'legacy') return serveInSession(endpoint, visit, body.messages, body.batch);
  const [message] = body.messages;
  const busy = whyNotNow(endpoint, visit, body.messages);
  if (busy) return reply.refuse(busy);
  if (classified.kind === 'modern' && message) {
    const problem = whyNotMeta(message) ?? whyNotCall(message);
    if (problem !== undefined) return answerInvalid(reply, problem, idOf(message));
  }
  await endpoint.stateless.answer(reply, body.value, visit.holder, visit.app, Date.now());
}

interface Taken {
  value: unknown;
  messages: JSONRPCMessage[];
  batch: boolean;
}

/** The messages of the body; refuses by itself what is none. */
async function takeBody({ limits, room }: Endpoint, { reply, waits }: Visit): Promise<Taken | undefined> {
  if (waits) reply.response.writeContinue();
  const body = await readBody(reply.request, limits.bodyBytes, room);
  if ('gone' in body) return undefined;
  if ('refusal' in body) {
    reply.refuse(body.refusal);
    return undefined;
  }
  reply.response.once('close', () => room.giveBack(body.bytes));
  let value: unknown;
  try {
    value = JSON.parse(body.text);
  } catch {
    reply.refuse({ status: 400, code: PARSE_ERROR, message: 'Parse error: the body is not valid JSON' });
    return undefined;
  }
  const batch = Array.isArray(value);
  const values = batch ? (value as unknown[]) : [value];
  const problem = whyNotBatch(values) ?? firstProblem(values);
  if (problem !== undefined) {
    const told = { code: INVALID_REQUEST, message: `Invalid request: ${problem}` };
    reply.refuse({ status: 400, ...told, id: idOf(value) });
    return undefined;
  }
  const messages = values.map((each) => withoutExtras(each as JSONRPCMessage));
  return { value: batch ? messages : messages[0], messages, batch };
}

function whyNotBatch(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return 'a batch must have a message';
  return values.length > MOST_IN_A_BATCH ? `a batch may have at most ${MOST_IN_A_BATCH} messages` : undefined;
}

function firstProblem(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const problem = whyNotMessage(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function serveInSession(
  endpoint: Endpoint,
  visit: Visit,
  messages: readonly JSONRPCMessage[],
  batch: boolean,
): Promise<void> {
  const { reply } = visit;
  const opening = messages.some((message) => 'method' in message && message.method === 'initialize');
  if (opening && visit.reply.request.headers['mcp-session-id'] === undefined)
    return openSession(endpoint, visit, messages, batch);
  const found = findSession(endpoint, visit);
  if ('status' in found) return reply.refuse(found);
  const refusal = whyNotInSession(found, messages, batch, opening) ?? whyNotNow(endpoint, visit, messages);
  if (refusal) return reply.refuse(refusal);
  for (const message of messages) {
    const problem = whyNotMeta(message) ?? whyNotCall(message);
    if (problem !== undefined) return answerInvalid(reply, problem, idOf(message));
  }
  const ids = requestIds(messages);
  const mayStream = accepts(visit, 'text/event-stream');
  found.transport.receive(messages, ids, reply, { batch, mayStream });
}

/** The session is known to the client only when `initialize` went well; otherwise it ends at once. */
async function openSession(
  endpoint: Endpoint,
  { reply, holder, app }: Visit,
  messages: readonly JSONRPCMessage[],
  batch: boolean,
): Promise<void> {
  const ids = requestIds(messages);
  if (batch || ids.length !== 1)
    return reply.refuse(invalidRequest('initialize is one request, and stands alone', messages[0]));
  const session = await endpoint.sessions.open(holder, app, Date.now());
  if ('status' in session) return reply.refuse(session);
  const { transport } = session;
  transport.receive(messages, ids, reply, {
    batch,
    mayStream: false,
    headers: (answer) => {
      if ('result' in answer) return { 'Mcp-Session-Id': transport.sessionId };
      void transport.close();
      return {};
    },
  });
}

function findSession({ sessions }: Endpoint, { reply, holder, app }: Visit): HttpSession | Refusal {
  const { headers } = reply.request;
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string')
    return { status: 400, message: 'A session is needed: begin with initialize and send its Mcp-Session-Id' };
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !SESSION_VERSIONS.includes(String(version))) {
    const versions = SESSION_VERSIONS.join(', ');
    return { status: 400, message: `Unsupported protocol version; those of sessions are: ${versions}` };
  }
  const session = sessions.find(id, holder, app);
  if (!session) return { status: 404, code: SESSION_NOT_FOUND, message: 'Session not found' };
  session.usedAt = Date.now();
  return session;
}

function whyNotInSession(
  { transport }: HttpSession,
  messages: readonly JSONRPCMessage[],
  batch: boolean,
  opening: boolean,
): Refusal | undefined {
  const [first] = messages;
  if (opening) return invalidRequest('the session has been initialized already', first);
  if (batch && transport.protocolVersion !== WITH_BATCHES)
    return invalidRequest('batches are not supported; send one message a request', first);
  const ids = requestIds(messages);
  if (new Set(ids).size < ids.length || ids.some((id) => transport.isOpen(id)))
    return invalidRequest('another request with this id is under way', first);
  return undefined;
}

/** Calls are not taken without bound: who gets this answer loses nothing and asks again. */
function whyNotNow(
  { limits, load }: Endpoint,
  { holder }: Visit,
  messages: readonly JSONRPCMessage[],
): Refusal | undefined {
  const calls = messages.filter((message) => 'method' in message && message.method === 'tools/call').length;
  if (calls === 0) return undefined;
  if (holder.gate.load + calls > limits.callsOfOneToken)
    return { status: 429, retryAfter: 1, message: 'Too many calls of this token are under way: try again' };
  if (load() + calls > limits.calls)
    return { status: 503, retryAfter: 1, message: 'Too many calls are under way: try again' };
  return undefined;
}

function answerInvalid(reply: Reply, problem: string, id: Id | null): void {
  const error = { code: INVALID_PARAMS, message: `Invalid params: ${problem}` };
  reply.json(id === null ? 400 : 200, JSON.stringify({ jsonrpc: '2.0', id, error }));
}

function invalidRequest(problem: string, message: JSONRPCMessage | undefined): Refusal {
  return { status: 400, code: INVALID_REQUEST, message: `Invalid request: ${problem}`, id: idOf(message) };
}

function requestIds(messages: readonly JSONRPCMessage[]): Id[] {
  return messages.flatMap((message) => ('method' in message && 'id' in message ? [message.id] : []));
}

function accepts({ reply }: Visit, type: string): boolean {
  const { accept } = reply.request.headers;
  return accept === undefined || accept.includes('*/*') || accept.toLowerCase().includes(type);
}

function named<N extends string>(name: N, header: string | string[] | undefined): Record<N, string> | object {
  return header === undefined ? {} : { [name]: String(header) };
}

