/** Finds out which protocol a posted message belongs to, and why one without a session cannot be served. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  classifyInboundRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { HANDSHAKE_VERSIONS } from '../mcp/messages/handshake-versions.ts';
import { HEADER_MISMATCH, idOf, UNSUPPORTED_VERSION } from '../mcp/messages/json-rpc.ts';
import { isToolCall } from '../mcp/messages/messages.ts';
import { MAX_HEADER_BYTES } from '../web/limits.ts';
import type { Refusal } from '../web/reply.ts';
import type { ClientContext } from './sessions/sessions.ts';

/** The protocol version without sessions. */
const STATELESS_VERSION = '2026-07-28';

/** Whether a message belongs to a session (`legacy`), to the protocol without sessions, or to neither. */
export function eraOf(headers: IncomingHttpHeaders, message: JSONRPCMessage): 'legacy' | 'modern' | 'reject' {
  if (isPlainCallInSession(headers, message)) return 'legacy';
  const classified = classifyInboundRequest({
    httpMethod: 'POST',
    ...named('protocolVersionHeader', headers['mcp-protocol-version']),
    ...named('mcpMethodHeader', headers['mcp-method']),
    ...named('mcpNameHeader', headers['mcp-name']),
    body: message,
  });
  return classified.kind;
}

/** True for most calls: nothing in them hints at the later protocol, so the library need not analyse them. */
function isPlainCallInSession(headers: IncomingHttpHeaders, message: JSONRPCMessage): boolean {
  if (headers['mcp-session-id'] === undefined || headers['mcp-method'] !== undefined) return false;
  if (!HANDSHAKE_VERSIONS.includes(String(headers['mcp-protocol-version']))) return false;
  return isToolCall(message) && message.params?._meta === undefined && headers['mcp-name'] === undefined;
}

/**
 * The server cannot distinguish two clients without sessions that use the same token: one of them would work in the
 * workspace that the other chose. So a dialect with a workspace needs a session, or a URL or token that belongs to one
 * client. The refusal names the versions with sessions, so that clients that know one can start a session on their own.
 */
export function whyNotStateless(
  { app, principal, workspace }: ClientContext,
  message: JSONRPCMessage,
): Refusal | undefined {
  const { name, choosesWorkspace } = app.dialects[0]!;
  if (!choosesWorkspace || workspace !== undefined || principal.grant.oneClient) return undefined;
  return {
    status: 400,
    code: UNSUPPORTED_VERSION,
    id: idOf(message),
    message: `Without a session the server cannot tell whose workspace a call means. Connect to /mcp/${name}?workspace=DIRECTORY, begin a session with initialize, or have the operator mark a token of your own as one-client in the token file`,
    data: { supported: [...SUPPORTED_PROTOCOL_VERSIONS], requested: STATELESS_VERSION },
  };
}

/**
 * A stateless request repeats its method and name in headers. This refuses values too long for any header; the
 * library's own message would quote them twice.
 */
export function whyNotInHeaders(message: JSONRPCMessage): Refusal | undefined {
  if (!('method' in message)) return undefined;
  const { name, uri } = (message.params ?? {}) as { name?: unknown; uri?: unknown };
  const repeated = { method: message.method, 'params.name': name, 'params.uri': uri };
  const isTooLong = (value: unknown) => typeof value === 'string' && value.length > MAX_HEADER_BYTES;
  const [field] = Object.entries(repeated).find(([, value]) => isTooLong(value)) ?? [];
  if (field === undefined) return undefined;
  return {
    status: 400,
    code: HEADER_MISMATCH,
    id: idOf(message),
    message: `Bad Request: the request headers and body disagree: ${field} is longer than any header`,
  };
}

function named<N extends string>(name: N, header: string | string[] | undefined): Record<N, string> | object {
  return header === undefined ? {} : { [name]: String(header) };
}
