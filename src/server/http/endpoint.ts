/** `/mcp` and `/mcp/<dialect>`: from an admitted request to the session or the stateless answer. */
import {
  classifyInboundRequest,
  isJsonContentType,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { WITH_BATCHES } from '../mcp/batch.ts';
import { INVALID_PARAMS, idOf, SESSION_NOT_FOUND, UNSUPPORTED_VERSION } from '../mcp/json-rpc.ts';
import { whyNotCall, whyNotMeta } from '../mcp/messages.ts';
import { traceInvalidCall } from '../mcp/refused-calls.ts';
import type { MemoryBudget } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import { invalidRequest, isOpening, type Posted, requestIds, sortPosted, takePosted } from './posted.ts';
import type { HttpSession, Place, Sessions } from './sessions.ts';
import type { Stateless } from './stateless.ts';

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
  if (visit.waits) visit.reply.response.writeContinue();
  const posted = await takePosted(visit.reply, endpoint.limits, endpoint.room);
  if (posted === undefined || 'status' in posted) return posted;
  if (posted.batch) return serveBatch(endpoint, visit, posted);
  const { message } = posted;
  const classified = classifyInboundRequest({
    httpMethod: 'POST',
    ...named('protocolVersionHeader', headers['mcp-protocol-version']),
    ...named('mcpMethodHeader', headers['mcp-method']),
    ...named('mcpNameHeader', headers['mcp-name']),
    body: message,
  });
  if (classified.kind === 'legacy') {
    const begins = isOpening(message) && headers['mcp-session-id'] === undefined;
    return begins ? openSession(endpoint, visit, message) : serveInSession(endpoint, visit, posted);
  }
  // Whoever is gone by now has cancelled what it asked.
  if (visit.reply.done) return undefined;
  const refusal = whyNotStateless(visit, message) ?? whyNotNow(endpoint, visit, [message]);
  if (refusal) return refusal;
  if (classified.kind === 'modern' && answersInvalid(visit, message)) return undefined;
  const mayStream = accepts(visit, 'text/event-stream');
  return endpoint.stateless.answer({ ...visit, message, mayStream, now: Date.now() });
}

/**
 * Two clients without sessions that use one token cannot be told apart, and a workspace that one chose would be
 * the other's. So a dialect with a workspace needs a session, or an address or a token that says whose call it is.
 * The versions that are offered instead have sessions: clients that know them begin one by themselves.
 */
function whyNotStateless({ app, holder, workspace }: Visit, message: JSONRPCMessage): Outcome {
  const { name, choosesWorkspace } = app.dialects[0]!;
  if (!choosesWorkspace || workspace !== undefined || holder.grant.oneClient) return undefined;
  return {
    status: 400,
    code: UNSUPPORTED_VERSION,
    id: idOf(message),
    message: `Without a session the server cannot tell whose workspace a call means. Connect to /mcp/${name}?workspace=DIRECTORY, begin a session with initialize, or have the operator mark a token of your own as one-client in the token file`,
    data: { supported: [...SUPPORTED_PROTOCOL_VERSIONS], requested: NEWEST },
  };
}

/** Only a session can know batches, and none begins with one. */
async function serveBatch(
  endpoint: Endpoint,
  visit: Visit,
  posted: Posted & { batch: true },
): Promise<Outcome> {
  if (visit.reply.request.headers['mcp-session-id'] !== undefined)
    return serveInSession(endpoint, visit, posted);
  return invalidRequest(
    posted.values.some(isOpening)
      ? 'initialize is one request, and stands alone'
      : `batches are answered only in a session of ${WITH_BATCHES}`,
  );
}

async function serveInSession(endpoint: Endpoint, visit: Visit, posted: Posted): Promise<Outcome> {
  const found = findSession(endpoint, visit);
  if ('status' in found) return found;
  const sorted = sortPosted(posted, found.transport);
  if ('status' in sorted) return sorted;
  const { messages, wrong } = sorted;
  const refusal = whyNotNow(endpoint, visit, messages);
  if (refusal) return refusal;
  const { batch } = posted;
  if (!batch && answersInvalid(visit, posted.message, found.traceId)) return undefined;
  const early = [...wrong];
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
async function openSession({ sessions }: Endpoint, visit: Visit, message: JSONRPCMessage): Promise<Outcome> {
  if (visit.reply.done) return undefined;
  const ids = requestIds([message]);
  if (ids.length === 0) return invalidRequest('initialize is one request, and stands alone', message);
  const session = await sessions.open(visit, Date.now());
  if ('status' in session) return session;
  const { transport } = session;
  const { reply } = visit;
  transport.receive([message], ids, reply, {
    batch: false,
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

/** Answers params that are wrong, as an answer to the call; gives whether they were. */
function answersInvalid(visit: Visit, message: JSONRPCMessage, traceId?: string): boolean {
  const answer = invalidAnswer(visit, message, traceId);
  if (!answer) return false;
  visit.reply.json('id' in message ? 200 : 400, JSON.stringify(answer));
  return true;
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

function accepts({ reply }: Visit, type: string): boolean {
  const { accept } = reply.request.headers;
  return accept === undefined || accept.includes('*/*') || accept.toLowerCase().includes(type);
}

function named<N extends string>(name: N, header: string | string[] | undefined): Record<N, string> | object {
  return header === undefined ? {} : { [name]: String(header) };
}
