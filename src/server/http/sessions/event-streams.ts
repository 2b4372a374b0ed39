/**
 * The event streams of one session. Events have ids, and the server keeps them for a while: a client that lost its
 * connection comes back with the last id that it saw and gets the events after it.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Json } from '../../mcp/messages/json-in-turns.ts';
import { asJson } from '../../mcp/messages/messages.ts';
import type { MemoryBudget } from '../../web/body.ts';
import type { HttpLimits } from '../../web/limits.ts';
import { eventOf, type Reply } from '../../web/reply.ts';
import { SharedTimer } from '../shared-timer.ts';

const EVENT_ID = /^(?:(\w{1,20})\.)?(\d{1,15})-(\d{1,15})$/;

type ReplayLimits = Pick<
  HttpLimits,
  'replayEvents' | 'replayBytes' | 'replayMs' | 'retryMs' | 'resumableAfterMs'
>;

interface StoredEvent {
  stream: EventStream;
  number: number;
  parts: readonly (string | Buffer)[];
  bytes: number;
}

export class EventStream {
  readonly number: number;
  readonly #streams: EventStreams;
  /** The reply on which the client currently reads the stream. */
  #reply: Reply | undefined;
  #sent = 0;
  /** The number of the last event that the server has dropped. */
  #dropped = 0;
  #endedAt: number | undefined;

  constructor(number: number, streams: EventStreams) {
    this.number = number;
    this.#streams = streams;
  }

  get isRead(): boolean {
    return this.#reply !== undefined;
  }

  /** Continues on this reply, from now on or after the event that the client saw last. Ends the previous reply. */
  attach(reply: Reply, after?: number): void {
    const before = this.#reply;
    this.#reply = reply;
    before?.end();
    reply.onDisconnect = () => {
      if (this.#reply === reply) this.#reply = undefined;
    };
    reply.startEvents();
    if (after === undefined) this.#prime(reply);
    else for (const part of this.#streams.after(this, after)) reply.write(part);
    if (this.#endedAt !== undefined) reply.end();
  }

  send(message: JSONRPCMessage): void {
    this.sendJson(asJson(message));
  }

  /** Sends a message that is already written as JSON. */
  sendJson(json: Json): void {
    const number = ++this.#sent;
    const parts = eventOf(json, `id: ${this.#streams.prefix}${this.number}-${number}\n`);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#streams.store({ stream: this, number, parts, bytes });
    for (const part of parts) this.#reply?.write(part);
  }

  end(): void {
    this.#endedAt = Date.now();
    this.#reply?.end();
    this.#reply = undefined;
  }

  drop(number: number): void {
    this.#dropped = number;
  }

  canResumeAfter(number: number): boolean {
    return number >= this.#dropped && number <= this.#sent;
  }

  endedBefore(time: number): boolean {
    return this.#endedAt !== undefined && this.#endedAt < time;
  }

  /** Sends an id without a message, so that the client can resume. Older clients would take it for a broken message. */
  #prime(reply: Reply): void {
    if (this.#streams.primes)
      reply.write(
        `id: ${this.#streams.prefix}${this.number}-${this.#sent}\nretry: ${this.#streams.retryMs}\ndata: \n\n`,
      );
  }
}

export class EventStreams {
  /** Whether the client accepts an event without a message. */
  primes = false;
  readonly #limits: ReplayLimits;
  /** The memory that the events of all sessions share. */
  readonly #memory: MemoryBudget;
  readonly #byNumber = new Map<number, EventStream>();
  /** The events that can be replayed, in the order in which they were sent. */
  #events: StoredEvent[] = [];
  #bytes = 0;
  #next = 0;
  #isClosed = false;

  /** The prefix of all event ids, which names the server of a fleet that has the events. */
  readonly prefix: string;

  constructor(limits: ReplayLimits, memory: MemoryBudget, server?: string) {
    this.#limits = limits;
    this.slowReplies = new SharedTimer(limits.resumableAfterMs);
    this.#memory = memory;
    this.prefix = server === undefined ? '' : `${server}.`;
  }

  /** Whether another server of the fleet has this event. */
  isElsewhere(eventId: string): boolean {
    const [, server] = EVENT_ID.exec(eventId) ?? [];
    return server !== undefined && this.prefix !== `${server}.`;
  }

  get retryMs(): number {
    return this.#limits.retryMs;
  }

  /** Turns replies that take long into streams, so that the client can come back for them. */
  readonly slowReplies: SharedTimer;

  open(): EventStream {
    const stream = new EventStream(this.#next++, this);
    this.#byNumber.set(stream.number, stream);
    return stream;
  }

  /** The stream of an event, if the server still has all later events of the stream. */
  find(eventId: string): { stream: EventStream; after: number } | undefined {
    const [, , number, after] = EVENT_ID.exec(eventId) ?? [];
    const stream = this.#byNumber.get(Number(number ?? Number.NaN));
    return stream?.canResumeAfter(Number(after)) ? { stream, after: Number(after) } : undefined;
  }

  after(stream: EventStream, number: number): (string | Buffer)[] {
    return this.#events
      .filter((event) => event.stream === stream && event.number > number)
      .flatMap((event) => event.parts);
  }

  store(event: StoredEvent): void {
    const { replayEvents, replayBytes } = this.#limits;
    const { bytes } = event;
    while (
      this.#events.length > 0 &&
      (this.#events.length >= replayEvents || this.#bytes + bytes > replayBytes)
    )
      this.#dropFirst();
    // A long answer may be complete only after the session has ended.
    if (this.#isClosed || bytes > replayBytes || !this.#memory.take(bytes)) {
      event.stream.drop(event.number);
      return;
    }
    this.#events.push(event);
    this.#bytes += bytes;
  }

  /** Forgets streams that ended long ago. */
  tick(now: number): void {
    const past = now - this.#limits.replayMs;
    for (const stream of this.#byNumber.values()) {
      if (!stream.endedBefore(past)) continue;
      this.#byNumber.delete(stream.number);
      this.#events = this.#events.filter((event) => event.stream !== stream || this.#release(event));
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const event of this.#events) this.#release(event);
    this.#events = [];
    this.#byNumber.clear();
  }

  #dropFirst(): void {
    const event = this.#events.shift()!;
    event.stream.drop(event.number);
    this.#release(event);
  }

  #release({ bytes }: StoredEvent): false {
    this.#bytes -= bytes;
    this.#memory.release(bytes);
    return false;
  }
}
