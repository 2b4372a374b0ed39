/** Checks JSON-RPC messages, says what is wrong with them, and writes them; for every transport. */
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { MAX_MESSAGE_BYTES } from '../../../dialects/results/result-size.ts';
import { isObject } from '../../../json/is-object.ts';
import type { JsonBytes } from '../../../json/json-bytes.ts';
import { writeJson, writeJsonTo } from '../../../json/write-json.ts';
import { fitsInBytes } from '../../../utf16.ts';
import { ID_RULE, type Id, INTERNAL_ERROR, isId } from './json-rpc.ts';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Writes a message. An error replaces an answer that is longer than clients accept, so that every request gets one. */
export function asJson(message: JSONRPCMessage): string {
  try {
    const json = hasContent(message) ? writeJson(message) : JSON.stringify(message);
    if (fitsInBytes(json, MAX_MESSAGE_BYTES) || !('id' in message)) return json;
  } catch (error) {
    if (!('id' in message) || !(error instanceof RangeError)) throw error;
  }
  return tooLarge(message.id ?? null);
}

/** Does the same as `asJson`, but adds the message as a line to `list`. */
export function addLine(message: JSONRPCMessage, list: JsonBytes): void {
  const before = list.end;
  try {
    if (hasContent(message)) writeJsonTo(list, message);
    else list.add(JSON.stringify(message));
    list.add('\n');
    if (list.mostBytes - before.length <= MAX_MESSAGE_BYTES || !('id' in message)) return;
    if (list.bytesSince(before) <= MAX_MESSAGE_BYTES) return;
    list.dropFrom(before);
  } catch (error) {
    list.dropFrom(before);
    if (!('id' in message) || !(error instanceof RangeError)) throw error;
  }
  list.add(`${tooLarge(message.id ?? null)}\n`);
}

/** Whether a message may hold a long text: a file, or the findings of a tool. */
function hasContent(message: JSONRPCMessage): boolean {
  return 'result' in message && 'content' in message.result;
}

/** The error that replaces an answer longer than clients accept. */
export function tooLarge(id: Id | null): string {
  const message = 'The answer is too large to be sent: ask for less at a time';
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
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

/** Drops members that JSON-RPC does not define: the library silently ignores a whole message that has one. */
export function withoutExtras(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message)) return message;
  const { jsonrpc, method, params } = message;
  if (!('id' in message)) return params ? { jsonrpc, method, params } : { jsonrpc, method };
  const { id } = message;
  return params ? { jsonrpc, id, method, params } : { jsonrpc, id, method };
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

export function isToolCall(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && message.method === 'tools/call' && 'id' in message;
}

/** Checked here because the library would answer with a dump of its own checks. */
export function whyNotCall(message: JSONRPCMessage): string | undefined {
  if (!isToolCall(message)) return undefined;
  const { name, arguments: args, task } = (message.params ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') return 'tools/call needs the name of a tool';
  if (args !== undefined && !isObject(args)) return 'arguments must be an object';
  if (task === undefined) return undefined;
  if (!isObject(task)) return 'task must be an object';
  return task.ttl === undefined || typeof task.ttl === 'number' ? undefined : 'task.ttl must be a number';
}
