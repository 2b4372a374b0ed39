/** The transport of one session over HTTP, for clients that begin with `initialize`. */
import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/server';
import { Cancellation } from '../../mcp/cancellation.ts';
import { withExactCode } from '../../mcp/library/exact-codes.ts';
import { type Id, type Params, SERVER_ERROR } from '../../mcp/messages/json-rpc.ts';
import { isToolCall } from '../../mcp/messages/messages.ts';
import { progressSender } from '../../mcp/messages/progress-sender.ts';
import type { ToolCalls } from '../../mcp/tools/tool-calls.ts';
import type { Refusal, Reply } from '../../web/reply.ts';
import { Exchange, type ExchangeOptions } from '../exchange.ts';
import type { EventStream, EventStreams } from './event-streams.ts';

/** From this version on, clients accept an event that has an id and no message. */
const WITH_EMPTY_EVENTS = '2025-11-25';

/** The id of a request that no client sent. */
const RESTORING = 'restoring the session';
/** How long a request to the client may wait for its answer. */
const QUESTION_MS = 60_000;
const STREAM_ELSEWHERE: Refusal = {
  status: 421,
  message: 'Another server of the fleet has the stream of this Last-Event-ID: ask again to reach that one',
};

interface Question {
  /** The id that the library gave the request. */
  id: Id;
  at: number;
}

/** What a session needs to work with the other servers of a fleet. */
export interface FleetPart {
  /** The name of this server in the fleet. */
  server: string;
  /** Forwards a message to the other servers: one of them may have the call or question that it refers to. */
  passOn(message: JSONRPCMessage): void;
  callBegins(): void;
}

export class SessionTransport implements Transport {
  readonly sessionId: string;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** The version that `initialize` agreed on. */
  protocolVersion: string | undefined;

  /** Runs tool calls directly. If it is undefined, they go through the library like all other messages. */
  calls: ToolCalls | undefined;

  readonly #exchanges = new Map<Id, Exchange>();
  /** The tool calls under way, so that the client can cancel them. */
  readonly #cancelling = new Map<Id, Cancellation>();
  readonly #streams: EventStreams;
  /** The stream for messages that belong to no request. */
  #listening: EventStream | undefined;
  /** Requests to the client that wait until it opens a stream. */
  readonly #unasked: JSONRPCMessage[] = [];
  #closed = false;

  /** Requests to the client that have no answer yet, by the ids that the client knows. */
  readonly #questions = new Map<Id, Question>();
  readonly #fleet: FleetPart | undefined;
  #restored: (() => void) | undefined;

  constructor(sessionId: string, streams: EventStreams, fleet?: FleetPart) {
    this.sessionId = sessionId;
    this.#streams = streams;
    this.#fleet = fleet;
  }

  /** Whether the client may have sent something for this session to another server. */
  get isWaiting(): boolean {
    if (this.#exchanges.size > 0) return true;
    const past = Date.now() - QUESTION_MS;
    for (const { at } of this.#questions.values()) if (at > past) return true;
    return false;
  }

  /** Replays the `initialize` that another server received, so that the library knows the session. */
  restore(params: unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#restored = resolve;
      this.onmessage?.({ jsonrpc: '2.0', id: RESTORING, method: 'initialize', params } as JSONRPCMessage);
    });
  }

  /** Receives a message that the client sent to another server. */
  receiveRelayed(message: JSONRPCMessage): void {
    if ('method' in message) {
      if (!this.#exchanges.has(message.params?.requestId as Id)) return;
      this.onmessage?.(message);
      this.#handleCancelled(message);
    } else this.#handleAnswer(message);
  }

  /** Whether the client waits for a reply or listens to a stream. */
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

  /** Passes messages on and answers the requests among them on the reply, which the transport now owns. */
  receive(
    messages: readonly JSONRPCMessage[],
    ids: readonly Id[],
    reply: Reply,
    options: ExchangeOptions,
  ): void {
    const exchange = new Exchange(reply, ids, options, this.#streams);
    for (const id of ids) this.#exchanges.set(id, exchange);
    for (const request of this.#unasked.splice(0)) this.#ask(request);
    if (ids.length > 0) this.#fleet?.callBegins();
    for (const message of messages) {
      if (this.calls && isToolCall(message)) void this.#call(this.calls, message);
      else if (!('method' in message) && this.#fleet) this.#handleAnswer(message);
      else this.onmessage?.(message);
      this.#handleCancelled(message);
    }
  }

  /** Runs a tool call directly: the endpoint has checked the message, and the tool checks its arguments. */
  async #call(calls: ToolCalls, { id, params = {} }: JSONRPCRequest): Promise<void> {
    const cancelling = new Cancellation();
    this.#cancelling.set(id, cancelling);
    const { signal } = cancelling;
    const meta = params._meta as Params | undefined;
    const progress = progressSender(meta, (notification) =>
      this.#exchanges.get(id)?.notify({ jsonrpc: '2.0', ...notification }),
    );
    const outcome = await calls.call(params, { signal, meta, progress });
    this.#cancelling.delete(id);
    const exchange = signal.aborted ? undefined : this.#exchanges.get(id);
    if (!exchange) return;
    this.#exchanges.delete(id);
    const { failure: _, ...answer } = outcome;
    exchange.answer(id, { jsonrpc: '2.0', id, ...answer } as JSONRPCMessage);
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
    if (this.#streams.isElsewhere(eventId)) return STREAM_ELSEWHERE;
    const found = this.#streams.find(eventId);
    if (!found)
      return {
        status: 400,
        message: 'The server does not have the stream of this Last-Event-ID, or no longer has it',
      };
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
    if (id === RESTORING) this.#restored?.();
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    exchange?.answer(id, exact);
  }

  async close(): Promise<void> {
    this.end();
  }

  /** Ends the session and tells every open request why it gets no result. */
  end(why = 'The session has ended'): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listening?.end();
    this.#listening = undefined;
    for (const exchange of new Set(this.#exchanges.values())) exchange.fail(SERVER_ERROR, why);
    this.#exchanges.clear();
    for (const call of this.#cancelling.values()) call.abort();
    this.#streams.close();
    this.onclose?.();
  }

  /** Sends a request to the client on a stream that it reads, or else on the next one that it opens. */
  #ask(asked: JSONRPCMessage): void {
    const request = this.#fleet ? this.#named(asked, this.#fleet.server) : asked;
    const exchange = [...this.#exchanges.values()].find(({ mayNotify }) => mayNotify);
    if (this.#listening?.isRead) this.#listening.send(request);
    else if (exchange) exchange.notify(request);
    else this.#unasked.push(asked);
  }

  /** Adds the server's name to the id: two servers may ask the client at once, and each must recognise its answer. */
  #named(request: JSONRPCMessage, server: string): JSONRPCMessage {
    const { id } = request as { id: Id };
    const name = `${server}-${id}`;
    this.#questions.set(name, { id, at: Date.now() });
    this.#fleet?.callBegins();
    return { ...request, id: name } as JSONRPCMessage;
  }

  #handleAnswer(message: JSONRPCMessage): void {
    const name = (message as { id?: Id }).id;
    const question = name === undefined ? undefined : this.#questions.get(name);
    if (!question) {
      if (typeof name === 'string' && !name.startsWith(`${this.#fleet?.server}-`))
        this.#fleet?.passOn(message);
      return;
    }
    this.#questions.delete(name!);
    this.onmessage?.({ ...message, id: question.id } as JSONRPCMessage);
  }

  #handleCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId as Id | undefined;
    this.#cancelling.get(id!)?.abort();
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (!exchange) {
      if (id !== undefined) this.#fleet?.passOn(message);
      return;
    }
    this.#exchanges.delete(id!);
    exchange.cancel(id!);
  }
}
