/** What a JSON-RPC message must look like, said in words where it does not, and how one is written; the same for every transport. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

const INTERNAL_ERROR = -32603;

export type Id = string | number;

/** A call is always answered: what is longer than a string can be is told as an error. */
export function asJson(message: JSONRPCMessage, end = ''): string {
  try {
    return `${JSON.stringify(message)}${end}`;
  } catch (error) {
    if (!('id' in message) || !(error instanceof RangeError)) throw error;
    const told = {
      code: INTERNAL_ERROR,
      message: 'The answer is too large to be sent: ask for less at a time',
    };
    return `${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: told })}${end}`;
  }
}

export function whyNotMessage(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'a message must be a JSON object';
  const message = value as Record<string, unknown>;
  if (message.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if ('id' in message && !isId(message.id)) return 'id must be a string or an integer';
  if ('method' in message) {
    if (typeof message.method !== 'string') return 'method must be a string';
    const { params } = message;
    if (params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params)))
      return;
    return 'params must be an object';
  }
  if ('id' in message && ('result' in message || 'error' in message)) return undefined;
  return 'there is no method';
}

/** Members that JSON-RPC does not name are left out: the library would drop the whole message in silence. */
export function withoutExtras(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message)) return message;
  const { jsonrpc, method, params } = message;
  return { jsonrpc, ...('id' in message ? { id: message.id } : {}), method, ...(params ? { params } : {}) };
}

/** Told here because the library would not answer at all. */
export function whyNotMeta(message: JSONRPCMessage): string | undefined {
  const meta: unknown = 'method' in message ? message.params?._meta : undefined;
  if (meta === undefined) return undefined;
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return '_meta must be an object';
  const { progressToken } = meta as Record<string, unknown>;
  if (progressToken === undefined || isId(progressToken)) return undefined;
  return 'progressToken must be a string or an integer';
}

/** Told here because the library would answer with a dump of its own checks. */
export function whyNotCall(message: JSONRPCMessage): string | undefined {
  if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return undefined;
  const { name, arguments: args } = (message.params ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') return 'tools/call needs the name of a tool';
  if (args === undefined || (typeof args === 'object' && args !== null && !Array.isArray(args)))
    return undefined;
  return 'arguments must be an object';
}

export function isId(id: unknown): id is Id {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
}

export function idOf(value: unknown): Id | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  return isId(id) ? id : null;
}
