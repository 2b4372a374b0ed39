/** The wire of one session over HTTP, as clients that begin with `initialize` use it. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { withExactCode } from '../exact-codes.ts';
import type { Id } from '../messages.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { type Reply, SERVER_ERROR } from './reply.ts';

export class SessionTransport implements Transport {
  readonly sessionId: string;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** What was agreed on by `initialize`. */
  protocolVersion: string | undefined;

  readonly #exchanges = new Map<Id, Exchange>();
  /** Where the client listens for what belongs to none of its requests. */
  #listening: Reply | undefined;
  #closed = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /** Whether somebody waits for something at the other end. */
  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#listening !== undefined;
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
  }

  isOpen(id: Id): boolean {
    return this.#exchanges.has(id);
  }

  /** Takes messages in; requests among them are answered on the reply, which the caller leaves alone then. */
  receive(
    messages: readonly JSONRPCMessage[],
    ids: readonly Id[],
    reply: Reply,
    options: ExchangeOptions,
  ): void {
    if (ids.length > 0) {
      const exchange = new Exchange(reply, ids, options);
      for (const id of ids) this.#exchanges.set(id, exchange);
      reply.onGone = () => this.#cancel(exchange);
    }
    for (const message of messages) {
      this.onmessage?.(message);
      this.#noteCancelled(message);
    }
    if (ids.length === 0) reply.empty(202);
  }

  /** Opens the stream for what belongs to no request. A new one takes the place of an old one. */
  listen(reply: Reply): void {
    const before = this.#listening;
    this.#listening = reply;
    before?.end();
    reply.endless = true;
    reply.onGone = () => {
      if (this.#listening === reply) this.#listening = undefined;
    };
    reply.startEvents();
  }

  async send(message: JSONRPCMessage, options?: { relatedRequestId?: Id }): Promise<void> {
    if (this.#closed) return;
    const exact = withExactCode(message);
    if ('method' in exact) {
      const related = options?.relatedRequestId;
      if (related === undefined) this.#listening?.event(exact);
      else this.#exchanges.get(related)?.tell(exact);
      return;
    }
    const { id } = exact;
    if (id === undefined) return;
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    exchange?.answer(id, exact);
  }

  async close(): Promise<void> {
    this.end('The session has ended');
  }

  /** Ends the session; whoever still waits for an answer is told why there is none. */
  end(why: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listening?.end();
    this.#listening = undefined;
    for (const exchange of new Set(this.#exchanges.values())) exchange.breakOff(SERVER_ERROR, why);
    this.#exchanges.clear();
    this.onclose?.();
  }

  /** A client that hangs up cancels its calls. */
  #cancel(exchange: Exchange): void {
    for (const requestId of exchange.open) {
      this.#exchanges.delete(requestId);
      const params = { requestId, reason: 'the client has gone' };
      this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
  }

  #noteCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId as Id | undefined;
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (!exchange) return;
    this.#exchanges.delete(id!);
    exchange.drop(id!);
  }
}
