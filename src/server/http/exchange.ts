/** What one POST asked and what it is answered: as JSON, or as events when the answer takes long or something comes before it. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Id } from '../mcp/json-rpc.ts';
import { asJson } from '../mcp/messages.ts';
import type { Reply } from '../web/reply.ts';
import type { EventStream, EventStreams } from './event-streams.ts';

export interface ExchangeOptions {
  /** Several messages came in one body, and their answers go out the same way. */
  batch: boolean;
  /** Whether the client takes a stream of events as an answer. */
  mayStream: boolean;
  /** Answers to requests of the batch that nobody needs to be asked about. */
  early?: readonly JSONRPCMessage[];
  /** Headers of the answer, chosen when it is known. */
  headers?: (answer: JSONRPCMessage) => OutgoingHttpHeaders;
}

/** A client that hangs up does not cancel: the exchange goes on, and the client may come back for its stream. */
export class Exchange {
  /** Requests that have not been answered. */
  readonly open: Set<Id>;
  readonly #reply: Reply;
  readonly #options: ExchangeOptions;
  readonly #streams: EventStreams;
  readonly #answers: JSONRPCMessage[] = [];
  #stream: EventStream | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(reply: Reply, ids: readonly Id[], options: ExchangeOptions, streams: EventStreams) {
    this.#reply = reply;
    this.open = new Set(ids);
    this.#options = options;
    this.#streams = streams;
    this.#answers.push(...(options.early ?? []));
    if (ids.length === 0) this.#finish();
    if (!options.mayStream || ids.length === 0) return;
    if (streams.primes) this.#soon = setTimeout(() => this.#startStream(), streams.primeMs).unref();
    else reply.onSilence = () => this.#startStream();
  }

  answer(id: Id, message: JSONRPCMessage): void {
    if (!this.open.delete(id)) return;
    if (this.#stream) this.#stream.send(message);
    else this.#answers.push(message);
    if (this.open.size === 0) this.#finish();
  }

  /** Something for the client before the answer is there. */
  tell(message: JSONRPCMessage): void {
    if (!this.#options.mayStream) return;
    this.#startStream();
    this.#stream?.send(message);
  }

  /** The client has cancelled a request: it gets no answer, and the exchange does not wait for one. */
  drop(id: Id): void {
    if (this.open.delete(id) && this.open.size === 0) this.#finish();
  }

  /** Answers what is open with an error. */
  breakOff(code: number, message: string): void {
    for (const id of [...this.open]) this.answer(id, { jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Not for a client that has gone: it knows no event from which it could go on. */
  #startStream(): void {
    if (this.#stream || this.#reply.done) return;
    this.#stream = this.#streams.open();
    this.#stream.attach(this.#reply);
    for (const waiting of this.#answers.splice(0)) this.#stream.send(waiting);
  }

  #finish(): void {
    clearTimeout(this.#soon);
    const [first] = this.#answers;
    if (this.#stream) this.#stream.end();
    else if (first === undefined) this.#reply.empty(202);
    else {
      const body = this.#options.batch ? asJsonList(this.#answers) : asJson(first);
      this.#reply.json(200, body, this.#options.headers?.(first));
    }
  }
}

function asJsonList(messages: readonly JSONRPCMessage[]): string {
  return `[${messages.map((message) => asJson(message)).join(',')}]`;
}
