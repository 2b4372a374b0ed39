/** The wire of one session over HTTP, as clients that begin with `initialize` use it. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { withExactCode } from '../mcp/exact-codes.ts';
import { type Id, SERVER_ERROR } from '../mcp/json-rpc.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

/** From this version on, clients take an event that has an id and no message. */
const PRIMED = '2025-11-25';

export class SessionTransport implements Transport {
  readonly sessionId: string;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** What was agreed on by `initialize`. */
  protocolVersion: string | undefined;

  readonly #exchanges = new Map<Id, Exchange>();
  readonly #streams: EventStreams;
  /** Where the client listens for what belongs to none of its requests. */
  #listening: EventStream | undefined;
  #closed = false;

  constructor(sessionId: string, streams: EventStreams) {
    this.sessionId = sessionId;
    this.#streams = streams;
  }

  /** Whether somebody waits for something at the other end. */
  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#listening?.isRead === true;
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#streams.primes = version >= PRIMED;
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
    const exchange = new Exchange(reply, ids, options, this.#streams);
    for (const id of ids) this.#exchanges.set(id, exchange);
    for (const message of messages) {
      this.onmessage?.(message);
      this.#noteCancelled(message);
    }
  }

  /** Opens the stream for what belongs to no request. A new one takes the place of an old one. */
  listen(reply: Reply): void {
    this.#listening ??= this.#streams.open();
    reply.endless = true;
    this.#listening.attach(reply);
  }

  /** Goes on with a stream after the event that the client saw last. */
  resume(reply: Reply, eventId: string): Refusal | undefined {
    const found = this.#streams.find(eventId);
    if (!found)
      return { status: 400, message: 'The stream of this Last-Event-ID is not kept, or not any longer' };
    reply.endless = found.stream === this.#listening;
    found.stream.attach(reply, found.after);
    return undefined;
  }

  tick(now: number): void {
    this.#streams.tick(now);
  }

  async send(message: JSONRPCMessage, options?: { relatedRequestId?: Id }): Promise<void> {
    if (this.#closed) return;
    const exact = withExactCode(message);
    if ('method' in exact) {
      const related = options?.relatedRequestId;
      if (related === undefined) this.#listening?.send(exact);
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
    this.#streams.close();
    this.onclose?.();
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
