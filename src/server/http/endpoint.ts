/** `/mcp` and `/mcp/<dialect>`: from an admitted request to the session or the stateless answer. */
import {
  classifyInboundRequest,
  isJsonContentType,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { WITH_BATCHES, whyNotBatch } from '../mcp/batch.ts';
import { type Id, idOf, whyNotCall, whyNotMessage, whyNotMeta, withoutExtras } from '../mcp/messages.ts';
import { traceInvalidCall } from '../mcp/refused-calls.ts';
import { type MemoryBudget, readBody } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import type { HttpSession, Place, Sessions } from './sessions.ts';
import type { Stateless } from './stateless.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const SESSION_NOT_FOUND = -32001;
const UNSUPPORTED_VERSION = -32022;
/** The version without sessions. */
const NEWEST = '2026-07-28';
const ALLOWED = { Allow: 'POST, GET, DELETE' };

export interface Endpoint {
  limits: HttpLimits;
  sessions: Sessions;
  stateless: Stateless;
  room: MemoryBudget;
  /** Calls of all tokens that are under way or waiting. */
  load(): number;
  /** Bytes of answers that no client has taken yet. */
  unsentBytes(): number;
}

interface Visit extends Place {
  reply: Reply;
  /** The client waits for leave before it sends the body. */
  waits: boolean;
}

/** What came of a request: it has been answered, or it is to be refused. */
type Outcome = Refusal | undefined;

export async function serveVisit(endpoint: Endpoint, visit: Visit): Promise<Outcome> {
  switch (visit.reply.request.method) {
    case 'POST':
      return servePost(endpoint, visit);
    case 'GET':
      return serveListening(endpoint, visit);
    case 'DELETE':
      return serveEnding(endpoint, visit);
    default:
      return { status: 405, message: 'POST, GET and DELETE are served here', headers: ALLOWED };
  }
}

function serveListening(endpoint: Endpoint, visit: Visit): Outcome {
  if (!accepts(visit, 'text/event-stream'))
    return { status: 406, message: 'GET opens a stream: accept text/event-stream' };
  const found = findSession(endpoint, visit);
  if ('status' in found) return found;
  const { reply } = visit;
  const lastEvent = reply.request.headers['last-event-id'];
  if (lastEvent !== undefined) return found.transport.resume(reply, String(lastEvent));
  found.transport.listen(reply);
  return undefined;
}

async function serveEnding(endpoint: Endpoint, visit: Visit): Promise<Outcome> {
  const found = findSession(endpoint, visit);
  if ('status' in found) return found;
  await found.transport.close();
  visit.reply.empty(204);
  return undefined;
}

async function servePost(endpoint: Endpoint, visit: Visit): Promise<Outcome> {
  const { headers } = visit.reply.request;
  if (!isJsonContentType(headers['content-type']))
    return { status: 415, message: 'The body must be sent as Content-Type: application/json' };
  if (!accepts(visit, 'application/json'))
    return { status: 406, message: 'Accept must name application/json and text/event-stream' };
  const taken = await takeBody(endpoint, visit);
  if (taken === undefined || 'status' in taken) return taken;
  const classified = classifyInboundRequest({
    httpMethod: 'POST',
    ...named('protocolVersionHeader', headers['mcp-protocol-version']),
    ...named('mcpMethodHeader', headers['mcp-method']),
    ...named('mcpNameHeader', headers['mcp-name']),
    body: taken.value,
  });
  if (classified.kind === 'legacy') return serveInSession(endpoint, visit, taken);
  // Whoever is gone by now has cancelled what it asked.
  if (visit.reply.done) return undefined;
  const refusal = whyNotStateless(visit, taken) ?? whyNotNow(endpoint, visit, taken.messages);
  if (refusal) return refusal;
  if (classified.kind === 'modern' && answersInvalid(visit, taken.messages)) return undefined;
  const mayStream = accepts(visit, 'text/event-stream');
  return endpoint.stateless.answer({ ...visit, message: taken.value, mayStream, now: Date.now() });
}

/**
 * Two clients without sessions that use one token cannot be told apart, and a workspace that one chose would be
 * the other's. So a dialect with a workspace needs a session, or an address or a token that says whose call it is.
 * The versions that are offered instead have sessions: clients that know them begin one by themselves.
 */
function whyNotStateless({ app, holder, workspace }: Visit, { value }: Taken): Outcome {
  const { name, choosesWorkspace } = app.dialects[0]!;
  if (!choosesWorkspace || workspace !== undefined || holder.grant.oneClient) return undefined;
  return {
    status: 400,
    code: UNSUPPORTED_VERSION,
    id: idOf(value),
    message: `Without a session the server cannot tell whose workspace a call means. Connect to /mcp/${name}?workspace=DIRECTORY, begin a session with initialize, or have the operator mark a token of your own as one-client in the token file`,
    data: { supported: [...SUPPORTED_PROTOCOL_VERSIONS], requested: NEWEST },
  };
}

interface Taken {
  value: unknown;
  messages: JSONRPCMessage[];
  batch: boolean;
}

/** The messages of the body; nothing when the client has gone meanwhile. */
async function takeBody(
  { limits, room }: Endpoint,
  { reply, waits }: Visit,
): Promise<Taken | Refusal | undefined> {
  if (waits) reply.response.writeContinue();
  const body = await readBody(reply.request, limits.bodyBytes, room);
  if ('gone' in body) return undefined;
  if ('refusal' in body) return body.refusal;
  reply.whenOver(() => room.giveBack(body.bytes));
  let value: unknown;
  try {
    value = JSON.parse(body.text);
  } catch {
    return { status: 400, code: PARSE_ERROR, message: 'Parse error: the body is not valid JSON' };
  }
  const batch = Array.isArray(value);
  const values = batch ? (value as unknown[]) : [value];
  const problem = whyNotBatch(values) ?? firstProblem(values);
  if (problem !== undefined)
    return { status: 400, code: INVALID_REQUEST, message: `Invalid request: ${problem}`, id: idOf(value) };
  const messages = values.map((each) => withoutExtras(each as JSONRPCMessage));
  return { value: batch ? messages : messages[0], messages, batch };
}

function firstProblem(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const problem = whyNotMessage(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function serveInSession(endpoint: Endpoint, visit: Visit, taken: Taken): Promise<Outcome> {
  const { messages, batch } = taken;
  const opening = messages.some((message) => 'method' in message && message.method === 'initialize');
  if (opening && visit.reply.request.headers['mcp-session-id'] === undefined)
    return openSession(endpoint, visit, taken);
  const found = findSession(endpoint, visit);
  if ('status' in found) return found;
  const refusal = whyNotInSession(found, taken, opening) ?? whyNotNow(endpoint, visit, messages);
  if (refusal) return refusal;
  if (!batch && answersInvalid(visit, messages, found.traceId)) return undefined;
  const early: JSONRPCMessage[] = [];
  const good = messages.filter((message) => {
    const answer = invalidAnswer(visit, message, found.traceId);
    if (answer && 'id' in message) early.push(answer);
    return answer === undefined;
  });
  const mayStream = accepts(visit, 'text/event-stream');
  found.transport.receive(good, requestIds(good), visit.reply, { batch, mayStream, early });
  return undefined;
}

/** The session is known to the client only when `initialize` went well; otherwise it ends at once. */
async function openSession(
  { sessions }: Endpoint,
  visit: Visit,
  { messages, batch }: Taken,
): Promise<Outcome> {
  const ids = requestIds(messages);
  if (visit.reply.done) return undefined;
  if (batch || ids.length !== 1)
    return invalidRequest('initialize is one request, and stands alone', messages[0]);
  const session = await sessions.open(visit, Date.now());
  if ('status' in session) return session;
  const { transport } = session;
  const { reply } = visit;
  transport.receive(messages, ids, reply, {
    batch,
    mayStream: false,
    headers: (answer) => {
      if ('result' in answer) return { 'Mcp-Session-Id': transport.sessionId };
      void transport.close();
      return {};
    },
  });
  reply.onGone = () => void transport.close();
  return undefined;
}

function findSession({ sessions }: Endpoint, visit: Visit): HttpSession | Refusal {
  const { headers } = visit.reply.request;
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string')
    return { status: 400, message: 'A session is needed: begin with initialize and send its Mcp-Session-Id' };
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) {
    const versions = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    return { status: 400, message: `Unsupported protocol version; those of sessions are: ${versions}` };
  }
  const session = sessions.find(id, visit);
  if (!session) return { status: 404, code: SESSION_NOT_FOUND, message: 'Session not found' };
  session.usedAt = Date.now();
  return session;
}

function whyNotInSession({ transport }: HttpSession, { messages, batch }: Taken, opening: boolean): Outcome {
  const [first] = messages;
  if (opening) return invalidRequest('the session has been initialized already', first);
  if (batch && transport.protocolVersion !== WITH_BATCHES)
    return invalidRequest('batches are not supported; send one message a request', first);
  const ids = requestIds(messages);
  if (new Set(ids).size < ids.length || ids.some((id) => transport.isOpen(id)))
    return invalidRequest('another request with this id is under way', first);
  return undefined;
}

/** Calls wait their turn, but not without bound: who gets this answer loses nothing and asks again. */
function whyNotNow(
  { limits, load, unsentBytes }: Endpoint,
  { holder }: Visit,
  messages: readonly JSONRPCMessage[],
): Outcome {
  const calls = messages.filter((message) => 'method' in message && message.method === 'tools/call').length;
  if (calls === 0) return undefined;
  if (holder.gate.load + calls > limits.callsOfOneToken)
    return tooManyCalls(429, `${limits.callsOfOneToken} calls of this token`);
  if (load() + calls > limits.calls) return tooManyCalls(503, `${limits.calls} calls`);
  if (unsentBytes() > limits.unsentBytes)
    return { status: 503, retryAfter: 5, message: 'Too many answers wait to be read: try again' };
  return undefined;
}

function tooManyCalls(status: number, calls: string): Refusal {
  const message = `${calls} are under way or waiting: try again, or have the operator raise --http-calls`;
  return { status, retryAfter: 1, message };
}

/** Answers params that are wrong, as an answer to the call; gives whether there were any. */
function answersInvalid(visit: Visit, messages: readonly JSONRPCMessage[], traceId?: string): boolean {
  for (const message of messages) {
    const answer = invalidAnswer(visit, message, traceId);
    if (!answer) continue;
    visit.reply.json('id' in message ? 200 : 400, JSON.stringify(answer));
    return true;
  }
  return false;
}

function invalidAnswer(
  { app }: Visit,
  message: JSONRPCMessage,
  traceId?: string,
): JSONRPCMessage | undefined {
  const problem = whyNotMeta(message) ?? whyNotCall(message);
  if (problem === undefined) return undefined;
  const error = { code: INVALID_PARAMS, message: `Invalid params: ${problem}` };
  traceInvalidCall(app, traceId, message, error.message);
  return { jsonrpc: '2.0', id: idOf(message), error } as JSONRPCMessage;
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
