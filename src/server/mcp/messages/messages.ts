/** Checks JSON-RPC messages, says what is wrong with them, and writes them; for every transport. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { MAX_MESSAGE_BYTES } from '../../../dialects/results/result-size.ts';
import { writeJson } from '../../../json/write-json.ts';
import { ID_RULE, type Id, INTERNAL_ERROR, isId } from './json-rpc.ts';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** A client gets an error instead of an answer that is longer than it would accept: every request gets an answer. */
export function asJson(message: JSONRPCMessage, end = ''): string {
  try {
    const json = `${hasContent(message) ? writeJson(message) : JSON.stringify(message)}${end}`;
    if (fits(json) || !('id' in message)) return json;
  } catch (error) {
    if (!('id' in message) || !(error instanceof RangeError)) throw error;
  }
  return `${tooLarge(message.id ?? null)}${end}`;
}

/** Whether a message may hold a long text: a file, or what a tool has found. */
function hasContent(message: JSONRPCMessage): boolean {
  return 'result' in message && 'content' in message.result;
}

/** The answer in place of one that is longer than clients accept. */
export function tooLarge(id: Id | null): string {
  const message = 'The answer is too large to be sent: ask for less at a time';
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
}

function fits(json: string): boolean {
  // No character takes more than three bytes.
  return json.length * 3 <= MAX_MESSAGE_BYTES || Buffer.byteLength(json) <= MAX_MESSAGE_BYTES;
}

export function whyNotMessage(value: unknown): string | undefined {
  if (!isObject(value)) return 'a message must be a JSON object';
  if (value.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if ('id' in value && !isId(value.id)) return `id ${ID_RULE}`;
  if ('method' in value) {
    if (typeof value.method !== 'string') return 'method must be a string';
    const { params } = value;
    return params === undefined || isObject(params) ? undefined : 'params must be an object';
  }
  if ('id' in value && ('result' in value || 'error' in value)) return undefined;
  return 'there is no method';
}

/** Drops members that JSON-RPC does not name: because of one, the library would silently ignore the whole message. */
export function withoutExtras(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message)) return message;
  const { jsonrpc, method, params } = message;
  return { jsonrpc, ...('id' in message ? { id: message.id } : {}), method, ...(params ? { params } : {}) };
}

/** Checked here because the library would not answer at all. */
export function whyNotMeta(message: JSONRPCMessage): string | undefined {
  const meta: unknown = 'method' in message ? message.params?._meta : undefined;
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return '_meta must be an object';
  const { progressToken, [RELATED_TASK]: task } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return `progressToken ${ID_RULE}`;
  if (task !== undefined && typeof (task as { taskId?: unknown } | null)?.taskId !== 'string')
    return `${RELATED_TASK} must name a taskId`;
  return undefined;
}

/** Checked here because the library would answer with a dump of its own checks. */
export function whyNotCall(message: JSONRPCMessage): string | undefined {
  if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return undefined;
  const { name, arguments: args, task } = (message.params ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') return 'tools/call needs the name of a tool';
  if (args !== undefined && !isObject(args)) return 'arguments must be an object';
  if (task === undefined) return undefined;
  if (!isObject(task)) return 'task must be an object';
  return task.ttl === undefined || typeof task.ttl === 'number' ? undefined : 'task.ttl must be a number';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
