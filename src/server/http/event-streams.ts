/**
 * The event streams of one session. Their events have ids and are kept for a while, so that a client that lost its
 * connection comes back with the last id it saw and gets the rest.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { asJson } from '../mcp/messages.ts';
import type { MemoryBudget } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Reply } from '../web/reply.ts';

const EVENT_ID = /^(\d{1,15})-(\d{1,15})$/;

type Limits = Pick<HttpLimits, 'keptEvents' | 'keptBytes' | 'keptMs' | 'retryMs' | 'primeMs'>;

interface KeptEvent {
  stream: EventStream;
  number: number;
  text: string;
}

export class EventStream {
  readonly number: number;
  readonly #streams: EventStreams;
  /** Where the client reads it now. */
  #reply: Reply | undefined;
  #sent = 0;
  /** The last event that is no longer kept. */
  #dropped = 0;
  #endedAt: number | undefined;

  constructor(number: number, streams: EventStreams) {
    this.number = number;
    this.#streams = streams;
  }

  get isRead(): boolean {
    return this.#reply !== undefined;
  }

  /** Goes on from here, or from the event that the client saw last. A reply that read it before is ended. */
  attach(reply: Reply, after?: number): void {
    const before = this.#reply;
    this.#reply = reply;
    before?.end();
    reply.onGone = () => {
      if (this.#reply === reply) this.#reply = undefined;
    };
    reply.startEvents();
    if (after === undefined) this.#prime(reply);
    else for (const text of this.#streams.after(this, after)) reply.write(text);
    if (this.#endedAt !== undefined) reply.end();
  }

  send(message: JSONRPCMessage): void {
    const number = ++this.#sent;
    const text = `id: ${this.number}-${number}\nevent: message\ndata: ${asJson(message)}\n\n`;
    this.#streams.keep({ stream: this, number, text });
    this.#reply?.write(text);
  }

  end(): void {
    this.#endedAt = Date.now();
    this.#reply?.end();
    this.#reply = undefined;
  }

  drop(number: number): void {
    this.#dropped = number;
  }

  canGoOnAfter(number: number): boolean {
    return number >= this.#dropped && number <= this.#sent;
  }

  endedBefore(time: number): boolean {
    return this.#endedAt !== undefined && this.#endedAt < time;
  }

  /** An id without a message: from now on the client can come back. Older versions would take it for a broken message. */
  #prime(reply: Reply): void {
    if (this.#streams.primes)
      reply.write(`id: ${this.number}-${this.#sent}\nretry: ${this.#streams.retryMs}\ndata: \n\n`);
  }
}

export class EventStreams {
  /** Whether the client takes an event without a message. */
  primes = false;
  readonly #limits: Limits;
  /** Memory for the kept events of all sessions together. */
  readonly #room: MemoryBudget;
  readonly #byNumber = new Map<number, EventStream>();
  /** In the order in which they were sent. */
  #events: KeptEvent[] = [];
  #bytes = 0;
  #next = 0;

  constructor(limits: Limits, room: MemoryBudget) {
    this.#limits = limits;
    this.#room = room;
  }

  get retryMs(): number {
    return this.#limits.retryMs;
  }

  /** How long an answer may take before it begins as a stream, so that the client can come back for it. */
  get primeMs(): number {
    return this.#limits.primeMs;
  }

  open(): EventStream {
    const stream = new EventStream(this.#next++, this);
    this.#byNumber.set(stream.number, stream);
    return stream;
  }

  /** The stream that an event belongs to, if everything after the event is still kept. */
  find(eventId: string): { stream: EventStream; after: number } | undefined {
    const [, number, after] = EVENT_ID.exec(eventId) ?? [];
    const stream = this.#byNumber.get(Number(number ?? Number.NaN));
    return stream?.canGoOnAfter(Number(after)) ? { stream, after: Number(after) } : undefined;
  }

  after(stream: EventStream, number: number): string[] {
    return this.#events
      .filter((event) => event.stream === stream && event.number > number)
      .map((event) => event.text);
  }

  keep(event: KeptEvent): void {
    const { keptEvents, keptBytes } = this.#limits;
    const bytes = event.text.length;
    while (this.#events.length > 0 && (this.#events.length >= keptEvents || this.#bytes + bytes > keptBytes))
      this.#dropFirst();
    if (bytes > keptBytes || !this.#room.take(bytes)) {
      event.stream.drop(event.number);
      return;
    }
    this.#events.push(event);
    this.#bytes += bytes;
  }

  /** Forgets what ended long ago. */
  tick(now: number): void {
    const past = now - this.#limits.keptMs;
    for (const stream of this.#byNumber.values()) {
      if (!stream.endedBefore(past)) continue;
      this.#byNumber.delete(stream.number);
      this.#events = this.#events.filter((event) => event.stream !== stream || this.#giveBack(event));
    }
  }

  close(): void {
    for (const event of this.#events) this.#giveBack(event);
    this.#events = [];
    this.#byNumber.clear();
  }

  #dropFirst(): void {
    const event = this.#events.shift()!;
    event.stream.drop(event.number);
    this.#giveBack(event);
  }

  #giveBack({ text }: KeptEvent): false {
    this.#bytes -= text.length;
    this.#room.giveBack(text.length);
    return false;
  }
}
