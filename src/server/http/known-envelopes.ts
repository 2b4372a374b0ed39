/**
 * Recognises calls of clients without sessions that the protocol library need not check again.
 *
 * A client sends the same `_meta` with every call: its name, its capabilities and the protocol version. Once the
 * library has answered one call with a result, it would accept every call with the same `_meta` and matching headers.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';

const MOST_KNOWN = 1000;
const MAX_LENGTH = 4096;
const CALL = 'tools/call';
const NAMES = new Set(['name', 'arguments', '_meta']);
/** Names that a header carries without encoding. */
const PLAIN = /^[\x21-\x7e]+$/;

export class KnownEnvelopes {
  readonly #known = new Set<string>();

  has(envelope: string): boolean {
    return this.#known.has(envelope);
  }

  add(envelope: string): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(envelope);
  }
}

/** What the library's check of a plain call depends on; undefined for a message that the library must check. */
export function envelopeOf(headers: IncomingHttpHeaders, message: unknown): string | undefined {
  const { method, id, params = {} } = message as Partial<JSONRPCRequest>;
  if (method !== CALL || id === undefined || headers['mcp-method'] !== CALL) return undefined;
  const { name, _meta: meta } = params;
  if (typeof name !== 'string' || headers['mcp-name'] !== name || !PLAIN.test(name)) return undefined;
  if (!Object.keys(params).every((each) => NAMES.has(each))) return undefined;
  if (meta === undefined || 'progressToken' in (meta as object)) return undefined;
  const envelope = JSON.stringify([headers['mcp-protocol-version'], meta]);
  return envelope.length <= MAX_LENGTH ? envelope : undefined;
}
