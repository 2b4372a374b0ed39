/** The transport of one session over HTTP, for clients that begin with `initialize`. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { withExactCode } from '../mcp/exact-codes.ts';
import { type Id, SERVER_ERROR } from '../mcp/json-rpc.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

/** From this version on, clients accept an event that has an id and no message. */
const WITH_EMPTY_EVENTS = '2025-11-25';

export class SessionTransport implements Transport {
  readonly sessionId: string;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** As `initialize` agreed on. */
  protocolVersion: string | undefined;

  readonly #exchanges = new Map<Id, Exchange>();
  readonly #streams: EventStreams;
  /** The stream for messages that belong to no request. */
  #listening: EventStream | undefined;
  /** Requests to the client that wait for a stream. */
  readonly #unasked: JSONRPCMessage[] = [];
  #closed = false;

  constructor(sessionId: string, streams: EventStreams) {
    this.sessionId = sessionId;
    this.#streams = streams;
  }

  /** Whether the client waits for a reply or listens. */
  get isBusy(): boolean {
    return this.#exchanges.size > 0 || this.#listening?.isRead === true;
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#streams.primes = version >= WITH_EMPTY_EVENTS;
  }

  isOpen(id: Id): boolean {
    return this.#exchanges.has(id);
  }

  /** Hands messages on and answers the requests among them on the reply, which belongs to the transport from now on. */
  receive(
    messages: readonly JSONRPCMessage[],
    ids: readonly Id[],
    reply: Reply,
    options: ExchangeOptions,
  ): void {
    const exchange = new Exchange(reply, ids, options, this.#streams);
    for (const id of ids) this.#exchanges.set(id, exchange);
    for (const request of this.#unasked.splice(0)) this.#ask(request);
    for (const message of messages) {
      this.onmessage?.(message);
      this.#handleCancelled(message);
    }
  }

  /** Opens the stream for messages that belong to no request. A new one replaces the old one. */
  listen(reply: Reply): void {
    this.#listening ??= this.#streams.open();
    reply.isEndless = true;
    this.#listening.attach(reply);
    for (const request of this.#unasked.splice(0)) this.#ask(request);
  }

  /** Resumes a stream after the event that the client saw last. */
  resume(reply: Reply, eventId: string): Refusal | undefined {
    const found = this.#streams.find(eventId);
    if (!found)
      return { status: 400, message: 'The stream of this Last-Event-ID is not kept, or not any longer' };
    reply.isEndless = found.stream === this.#listening;
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
      if (related === undefined && 'id' in exact) this.#ask(exact);
      else if (related === undefined) this.#listening?.send(exact);
      else this.#exchanges.get(related)?.notify(exact);
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

  /** Ends the session and tells every open request why it gets no result. */
  end(why: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listening?.end();
    this.#listening = undefined;
    for (const exchange of new Set(this.#exchanges.values())) exchange.fail(SERVER_ERROR, why);
    this.#exchanges.clear();
    this.#streams.close();
    this.onclose?.();
  }

  /** Sends a request to the client on a stream that it reads, or else on the next one that it opens. */
  #ask(request: JSONRPCMessage): void {
    const exchange = [...this.#exchanges.values()].find(({ mayNotify }) => mayNotify);
    if (this.#listening?.isRead) this.#listening.send(request);
    else if (exchange) exchange.notify(request);
    else this.#unasked.push(request);
  }

  #handleCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId as Id | undefined;
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (!exchange) return;
    this.#exchanges.delete(id!);
    exchange.cancel(id!);
  }
}
