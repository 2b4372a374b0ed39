/** The JSON-RPC error codes, request ids and params that all transports use. Dialects have codes of their own. */

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** A refusal whose reason is in the HTTP status and the message. */
export const SERVER_ERROR = -32000;
/** Used by versions with `initialize`; later ones use INVALID_PARAMS. */
export const RESOURCE_NOT_FOUND = -32002;
export const SESSION_NOT_FOUND = -32001;
/** A header of a request contradicts its body, in versions without sessions. */
export const HEADER_MISMATCH = -32020;
export const UNSUPPORTED_VERSION = -32022;

const MAX_ID_LENGTH = 1000;
/** What an id or a progress token must be. */
export const ID_RULE = `must be an integer or a string of at most ${MAX_ID_LENGTH} characters`;

export type Id = string | number;
/** The params of a request or a notification. */
export type Params = Readonly<Record<string, unknown>>;

/** A larger integer would lose digits on its way back, and a long string would make every answer long. */
export function isId(id: unknown): id is Id {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

export function idOf(value: unknown): Id | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  return isId(id) ? id : null;
}
