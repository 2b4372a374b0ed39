/** Reads and checks the body of a POST: one message or a batch of messages. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { WITH_BATCHES, whyNotBatch } from '../mcp/messages/batch.ts';
import { isLongMessage, NotUtf8, readJsonAtOnce, readJsonInTurns } from '../mcp/messages/json-reader.ts';
import { type Id, INVALID_REQUEST, idOf, PARSE_ERROR } from '../mcp/messages/json-rpc.ts';
import { whyNotMessage, withoutExtras } from '../mcp/messages/messages.ts';
import { type MemoryBudget, readBody } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal, Reply } from '../web/reply.ts';

const SAME_ID = 'another request with this id is under way';

/** The session that the client posts to. */
interface TargetSession {
  protocolVersion: string | undefined;
  isOpen(id: Id): boolean;
}

/** One checked message, or the unchecked values of a batch. */
export type PostBody =
  | { batch: false; message: JSONRPCMessage }
  | { batch: true; values: readonly unknown[] };

/** The valid messages, and the error answers to the others. */
export interface CheckedMessages {
  messages: JSONRPCMessage[];
  errors: JSONRPCMessage[];
}

/** Undefined if the client disconnects before the body is complete. */
export async function readPostBody(
  reply: Reply,
  limits: HttpLimits,
  memory: MemoryBudget,
): Promise<PostBody | Refusal | undefined> {
  const body = await readBody(reply.request, limits.bodyBytes, memory);
  if ('gone' in body) return undefined;
  if ('refusal' in body) return body.refusal;
  reply.whenOver(() => memory.release(body.bytes));
  let value: unknown;
  try {
    const { parts, bytes } = body;
    value = isLongMessage(bytes) ? await readJsonInTurns(parts, bytes) : readJsonAtOnce(parts);
  } catch (error) {
    const what = error instanceof NotUtf8 ? 'UTF-8' : 'JSON';
    return { status: 400, code: PARSE_ERROR, message: `Parse error: the body is not valid ${what}` };
  }
  if (Array.isArray(value)) return { batch: true, values: value };
  const problem = whyNotMessage(value);
  if (problem !== undefined) return invalidRequest(problem, value);
  return { batch: false, message: withoutExtras(value as JSONRPCMessage) };
}

/** Checks what a client posts to a session, or refuses the whole request. */
export function checkPosted(posted: PostBody, session: TargetSession): CheckedMessages | Refusal {
  if (posted.batch) return checkBatch(posted.values, session);
  const { message } = posted;
  if (isInitialize(message)) return invalidRequest('the session has been initialized already', message);
  if (isRequest(message) && session.isOpen(message.id)) return invalidRequest(SAME_ID, message);
  return { messages: [message], errors: [] };
}

/** As on stdio, each invalid message of a batch gets an error, and the server handles the others. */
function checkBatch(values: readonly unknown[], session: TargetSession): CheckedMessages | Refusal {
  if (session.protocolVersion !== WITH_BATCHES)
    return invalidRequest('batches are not supported; send one message per request');
  const whole = whyNotBatch(values);
  if (whole !== undefined) return invalidRequest(whole);
  const checked: CheckedMessages = { messages: [], errors: [] };
  const ids = new Set<Id>();
  for (const value of values) {
    const problem = whyNotMessage(value) ?? whyNotBatched(value as JSONRPCMessage, ids, session);
    if (problem !== undefined) {
      const { code, message } = invalidRequest(problem);
      checked.errors.push({ jsonrpc: '2.0', id: idOf(value), error: { code, message } } as JSONRPCMessage);
      continue;
    }
    const message = withoutExtras(value as JSONRPCMessage);
    if (isRequest(message)) ids.add(message.id);
    checked.messages.push(message);
  }
  return checked;
}

/** Two open requests with the same id would get answers that the client cannot tell apart. */
function whyNotBatched(
  message: JSONRPCMessage,
  ids: ReadonlySet<Id>,
  session: TargetSession,
): string | undefined {
  if (isInitialize(message)) return 'initialize must be sent alone';
  if (!isRequest(message)) return undefined;
  return ids.has(message.id) || session.isOpen(message.id) ? SAME_ID : undefined;
}

export function invalidRequest(problem: string, message?: unknown) {
  return { status: 400, code: INVALID_REQUEST, message: `Invalid request: ${problem}`, id: idOf(message) };
}

export function isInitialize(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'initialize';
}

export function requestIds(messages: readonly JSONRPCMessage[]): Id[] {
  return messages.flatMap((message) => (isRequest(message) ? [message.id] : []));
}

function isRequest(message: JSONRPCMessage): message is JSONRPCMessage & { id: Id } {
  return 'method' in message && 'id' in message;
}
