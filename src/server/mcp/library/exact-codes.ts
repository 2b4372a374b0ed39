/**
 * Keeps the error codes of dialects as they are on their way through the protocol library.
 *
 * The library rewrites -32002 to -32602, but documented dialects use that code. So a dialect's code passes the
 * library in disguise, and the transport restores it.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../messages/json-rpc.ts';

const DISGUISE = -1_000_000_000;

export function disguised(code: number): number {
  return code + DISGUISE;
}

/** Restores the code. Every transport passes the library's messages through this. */
export function withExactCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const { error } = message;
  if (error.code > DISGUISE / 2) return { ...message, error: asInvalidParams(error) };
  return { ...message, error: { ...error, code: error.code - DISGUISE } };
}

interface WireError {
  code: number;
  message: string;
}

/** The library reports params that fail its checks as an internal error, with a JSON list of problems as message. */
function asInvalidParams(error: WireError): WireError {
  if (error.code !== INTERNAL_ERROR || !error.message.startsWith('[')) return error;
  try {
    const found = JSON.parse(error.message) as { path: unknown[]; message: string }[];
    const problems = found.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { code: INVALID_PARAMS, message: `Invalid params: ${problems.join('; ')}` };
  } catch {
    return error;
  }
}
