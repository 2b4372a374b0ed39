/**
 * Error codes that reach the client exactly as a dialect gave them.
 *
 * The protocol library rewrites -32002 to -32602 on its way out, but that code is part of documented
 * dialects. So a dialect's code travels through the library in disguise and is restored at the wire.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

const DISGUISE = -1_000_000_000;

export function disguised(code: number): number {
  return code + DISGUISE;
}

/** The message as it goes out: every transport sends what this gives. */
export function withExactCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code > DISGUISE / 2) return message;
  return { ...message, error: { ...message.error, code: message.error.code - DISGUISE } };
}
