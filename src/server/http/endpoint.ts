/** Serves `/mcp` and `/mcp/<dialect>`: hands a request with a valid token to its session or to `stateless.ts`. */
import {
  isJsonContentType,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { WITH_BATCHES } from '../mcp/messages/batch.ts';
import { INVALID_PARAMS, idOf, SESSION_NOT_FOUND } from '../mcp/messages/json-rpc.ts';
import { whyNotCall, whyNotMeta } from '../mcp/messages/messages.ts';
import { isResourceMethod } from '../mcp/resources/resource-methods.ts';
import { traceInvalidCall } from '../mcp/tools/refused-calls.ts';
import type { MemoryBudget } from '../web/body.ts';
import { endOfTurn } from '../web/end-of-turn.ts';
import type { HttpLimits } from '../web/limits.ts';
import { methodNotAllowed, type Refusal, type Reply } from '../web/reply.ts';
import {
  checkPosted,
  invalidRequest,
  isInitialize,
  type PostBody,
  readPostBody,
  requestIds,
} from './post-body.ts';
import { eraOf, whyNotInHeaders, whyNotStateless } from './protocol-era.ts';
import type { ClientContext, HttpSession, HttpSessions } from './sessions/sessions.ts';
import type { Stateless } from './stateless.ts';

const INITIALIZE_ALONE = 'initialize is one request and must be sent alone';

export interface Endpoint {
  limits: HttpLimits;
  sessions: HttpSessions;
  stateless: Stateless;
  memory: MemoryBudget;
  /** How many calls of all tokens run or wait. */
  openCalls(): number;
  /** How many bytes of replies clients have not read. */
  unsentBytes(): number;
}

interface Incoming extends ClientContext {
  reply: Reply;
  /** The client sends the body only after `100 Continue`. */
  expectsContinue: boolean;
  /**
   * Refuses messages for which the token lacks a scope; undefined for the operator's own tokens, which scopes do not
   * restrict.
   */
  whyNotInScope: ((messages: readonly unknown[]) => Refusal | undefined) | undefined;
}

/** Gives a refusal, or undefined when the request has its answer. */
export async function serveMcp(endpoint: Endpoint, incoming: Incoming): Promise<Refusal | undefined> {
  // No message has been read yet: this checks the scopes that every request needs.
  const outOfScope = incoming.whyNotInScope?.([]);
  if (outOfScope) return outOfScope;
  switch (incoming.reply.request.method) {
    case 'POST':
      return servePost(endpoint, incoming);
    case 'GET':
      return serveListening(endpoint, incoming);
    case 'DELETE':
      return serveEnding(endpoint, incoming);
    default:
      return methodNotAllowed(['POST', 'GET', 'DELETE']);
  }
}

async function serveListening(endpoint: Endpoint, incoming: Incoming): Promise<Refusal | undefined> {
  if (!accepts(incoming, 'text/event-stream'))
    return { status: 406, message: 'GET opens a stream: accept text/event-stream' };
  const found = await findSession(endpoint, incoming);
  if ('status' in found) return found;
  const { reply } = incoming;
  const lastEvent = reply.request.headers['last-event-id'];
  if (lastEvent !== undefined) return found.transport.resume(reply, String(lastEvent));
  found.transport.listen(reply);
  return undefined;
}

async function serveEnding(endpoint: Endpoint, incoming: Incoming): Promise<Refusal | undefined> {
  const found = await findSession(endpoint, incoming);
  if ('status' in found) return found;
  await endpoint.sessions.end(found);
  incoming.reply.empty(204);
  return undefined;
}

async function servePost(endpoint: Endpoint, incoming: Incoming): Promise<Refusal | undefined> {
  const { headers } = incoming.reply.request;
  if (!isJsonContentType(headers['content-type']))
    return { status: 415, message: 'The body must be sent as Content-Type: application/json' };
  if (!accepts(incoming, 'application/json'))
    return { status: 406, message: 'Accept must name application/json and text/event-stream' };
  if (incoming.expectsContinue) incoming.reply.response.writeContinue();
  const posted = await readPostBody(incoming.reply, endpoint.limits, endpoint.memory);
  if (posted === undefined || 'status' in posted) return posted;
  await endOfTurn();
  const outOfScope = incoming.whyNotInScope?.(posted.batch ? posted.values : [posted.message]);
  if (outOfScope) return outOfScope;
  if (posted.batch) return serveBatch(endpoint, incoming, posted);
  const { message } = posted;
  const isKnown = endpoint.stateless.knows(headers, message);
  const era = isKnown ? 'modern' : eraOf(headers, message);
  if (era === 'legacy') {
    const begins = isInitialize(message) && headers['mcp-session-id'] === undefined;
    return begins ? openSession(endpoint, incoming, message) : serveInSession(endpoint, incoming, posted);
  }
  // A stateless client that disconnects cancels its request.
  if (incoming.reply.done) return undefined;
  const refusal =
    whyNotStateless(incoming, message) ??
    whyNotInHeaders(message) ??
    whyTooBusy(endpoint, incoming, [message]);
  if (refusal) return refusal;
  if (era === 'modern' && answersInvalid(incoming, message)) return undefined;
  const mayStream = accepts(incoming, 'text/event-stream');
  return endpoint.stateless.answer({ ...incoming, message, isKnown, mayStream, now: Date.now() });
}

/** Only sessions of one protocol version accept batches, and no session begins with a batch. */
async function serveBatch(
  endpoint: Endpoint,
  incoming: Incoming,
  posted: PostBody & { batch: true },
): Promise<Refusal | undefined> {
  if (incoming.reply.request.headers['mcp-session-id'] !== undefined)
    return serveInSession(endpoint, incoming, posted);
  return invalidRequest(
    posted.values.some(isInitialize)
      ? INITIALIZE_ALONE
      : `batches are answered only in a session of ${WITH_BATCHES}`,
  );
}

async function serveInSession(
  endpoint: Endpoint,
  incoming: Incoming,
  posted: PostBody,
): Promise<Refusal | undefined> {
  const found = await findSession(endpoint, incoming);
  if ('status' in found) return found;
  const checked = checkPosted(posted, found.transport);
  if ('status' in checked) return checked;
  const { messages } = checked;
  const refusal = whyTooBusy(endpoint, incoming, messages);
  if (refusal) return refusal;
  const { batch } = posted;
  if (!batch && answersInvalid(incoming, posted.message, found.traceId)) return undefined;
  const errors = [...checked.errors];
  const isValid = (message: JSONRPCMessage) => {
    const answer = invalidAnswer(incoming, message, found.traceId);
    if (answer && 'id' in message) errors.push(answer);
    return answer === undefined;
  };
  const good = batch ? messages.filter(isValid) : messages;
  const mayStream = accepts(incoming, 'text/event-stream');
  found.transport.receive(good, requestIds(good), incoming.reply, { batch, mayStream, errors });
  return undefined;
}

/** The client learns the id of the session only when `initialize` succeeds; otherwise the session ends at once. */
async function openSession(
  { sessions }: Endpoint,
  incoming: Incoming,
  message: JSONRPCMessage,
): Promise<Refusal | undefined> {
  if (incoming.reply.done) return undefined;
  const ids = requestIds([message]);
  if (ids.length === 0) return invalidRequest(INITIALIZE_ALONE, message);
  const { params } = message as { params?: unknown };
  const session = await sessions.open(incoming, params, Date.now());
  if ('status' in session) return session;
  const { transport } = session;
  const { reply } = incoming;
  transport.receive([message], ids, reply, {
    batch: false,
    mayStream: false,
    headers: (answer) => {
      if ('result' in answer) return { 'Mcp-Session-Id': transport.sessionId };
      void sessions.end(session).catch(() => {});
      return {};
    },
  });
  reply.onDisconnect = () => void sessions.end(session).catch(() => {});
  return undefined;
}

async function findSession({ sessions }: Endpoint, incoming: Incoming): Promise<HttpSession | Refusal> {
  const { headers } = incoming.reply.request;
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string')
    return { status: 400, message: 'A session is needed: begin with initialize and send its Mcp-Session-Id' };
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) {
    const versions = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    return { status: 400, message: `Unsupported protocol version; sessions support ${versions}` };
  }
  const session = await sessions.find(id, incoming);
  if (!session) return { status: 404, code: SESSION_NOT_FOUND, message: 'Session not found' };
  if ('status' in session) return session;
  session.usedAt = Date.now();
  return session;
}

/** Limits the queue of calls. Nothing of a refused request has run, so the client can simply repeat it. */
function whyTooBusy(
  { limits, openCalls, unsentBytes }: Endpoint,
  { principal }: Incoming,
  messages: readonly JSONRPCMessage[],
): Refusal | undefined {
  const calls = messages.filter((message) => 'method' in message && isCall(message.method)).length;
  if (calls === 0) return undefined;
  if (principal.callLimit.size + calls > limits.callsPerToken)
    return tooManyCalls(429, `${limits.callsPerToken} calls of this token`);
  if (openCalls() + calls > limits.calls) return tooManyCalls(503, `${limits.calls} calls`);
  if (unsentBytes() > limits.unsentBytes)
    return { status: 503, retryAfter: 5, message: 'Too many answers have not been read yet: try again' };
  return undefined;
}

function isCall(method: string): boolean {
  return method === 'tools/call' || isResourceMethod(method);
}

function tooManyCalls(status: number, calls: string): Refusal {
  const message = `${calls} are under way or waiting: try again, or have the operator raise --http-calls`;
  return { status, retryAfter: 1, message };
}

/** Answers a message if its params are invalid, and returns whether they were. */
function answersInvalid(incoming: Incoming, message: JSONRPCMessage, traceId?: string): boolean {
  const answer = invalidAnswer(incoming, message, traceId);
  if (!answer) return false;
  incoming.reply.json('id' in message ? 200 : 400, JSON.stringify(answer));
  return true;
}

function invalidAnswer(
  { app }: Incoming,
  message: JSONRPCMessage,
  traceId?: string,
): JSONRPCMessage | undefined {
  const problem = whyNotMeta(message) ?? whyNotCall(message);
  if (problem === undefined) return undefined;
  const error = { code: INVALID_PARAMS, message: `Invalid params: ${problem}` };
  traceInvalidCall(app, traceId, message, error.message);
  return { jsonrpc: '2.0', id: idOf(message), error } as JSONRPCMessage;
}

function accepts({ reply }: Incoming, type: string): boolean {
  const { accept } = reply.request.headers;
  return accept === undefined || accept.includes('*/*') || accept.toLowerCase().includes(type);
}
