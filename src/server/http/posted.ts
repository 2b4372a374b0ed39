/** What a client posted: one message, or a batch of them, and which of them are none. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { WITH_BATCHES, whyNotBatch } from '../mcp/batch.ts';
import { type Id, INVALID_REQUEST, idOf, PARSE_ERROR } from '../mcp/json-rpc.ts';
import { whyNotMessage, withoutExtras } from '../mcp/messages.ts';
import { type MemoryBudget, readBody } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal, Reply } from '../web/reply.ts';

const SAME_ID = 'another request with this id is under way';

/** The session that something is posted in. */
interface Conversation {
  protocolVersion: string | undefined;
  isOpen(id: Id): boolean;
}

/** One message as it was sent, or a list of what was sent together. */
export type Posted = { batch: false; message: JSONRPCMessage } | { batch: true; values: readonly unknown[] };

/** What can be handed on, and the answers to everything else. */
export interface Sorted {
  messages: JSONRPCMessage[];
  wrong: JSONRPCMessage[];
}

/** Takes the body in; gives nothing when the client has gone meanwhile. */
export async function takePosted(
  reply: Reply,
  limits: HttpLimits,
  room: MemoryBudget,
): Promise<Posted | Refusal | undefined> {
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
  if (Array.isArray(value)) return { batch: true, values: value };
  const problem = whyNotMessage(value);
  if (problem !== undefined) return invalidRequest(problem, value);
  return { batch: false, message: withoutExtras(value as JSONRPCMessage) };
}

/** Sorts what was posted in a session, or refuses all of it. */
export function sortPosted(posted: Posted, conversation: Conversation): Sorted | Refusal {
  if (posted.batch) return sortBatch(posted.values, conversation);
  const { message } = posted;
  if (isOpening(message)) return invalidRequest('the session has been initialized already', message);
  if (isRequest(message) && conversation.isOpen(message.id)) return invalidRequest(SAME_ID, message);
  return { messages: [message], wrong: [] };
}

/** Each message of a batch stands for itself, as on stdio: what is wrong with one is told for that one alone. */
function sortBatch(values: readonly unknown[], conversation: Conversation): Sorted | Refusal {
  if (conversation.protocolVersion !== WITH_BATCHES)
    return invalidRequest('batches are not supported; send one message a request');
  const whole = whyNotBatch(values);
  if (whole !== undefined) return invalidRequest(whole);
  const sorted: Sorted = { messages: [], wrong: [] };
  const ids = new Set<Id>();
  for (const value of values) {
    const problem = whyNotMessage(value) ?? whyNotBatched(value as JSONRPCMessage, ids, conversation);
    if (problem !== undefined) {
      const { code, message } = invalidRequest(problem);
      sorted.wrong.push({ jsonrpc: '2.0', id: idOf(value), error: { code, message } } as JSONRPCMessage);
      continue;
    }
    const message = withoutExtras(value as JSONRPCMessage);
    if (isRequest(message)) ids.add(message.id);
    sorted.messages.push(message);
  }
  return sorted;
}

/** One answer belongs to one request: nobody could tell two of the same id apart. */
function whyNotBatched(
  message: JSONRPCMessage,
  ids: ReadonlySet<Id>,
  conversation: Conversation,
): string | undefined {
  if (isOpening(message)) return 'initialize stands alone';
  if (!isRequest(message)) return undefined;
  return ids.has(message.id) || conversation.isOpen(message.id) ? SAME_ID : undefined;
}

export function invalidRequest(problem: string, message?: unknown) {
  return { status: 400, code: INVALID_REQUEST, message: `Invalid request: ${problem}`, id: idOf(message) };
}

export function isOpening(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'initialize';
}

export function requestIds(messages: readonly JSONRPCMessage[]): Id[] {
  return messages.flatMap((message) => (isRequest(message) ? [message.id] : []));
}

function isRequest(message: JSONRPCMessage): message is JSONRPCMessage & { id: Id } {
  return 'method' in message && 'id' in message;
}
