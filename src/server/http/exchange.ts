/** One POST and its answers: as JSON, or as events if an answer takes long or a notification comes before it. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { MAX_MESSAGE_BYTES } from '../../dialects/results/result-size.ts';
import { type Answer, answerList } from '../mcp/messages/answer-list.ts';
import { bytesIn, isLong, type Json, longAnswer } from '../mcp/messages/json-in-turns.ts';
import type { Id } from '../mcp/messages/json-rpc.ts';
import { asJson } from '../mcp/messages/messages.ts';
import type { Reply } from '../web/reply.ts';
import type { EventStream, EventStreams } from './sessions/event-streams.ts';

export interface ExchangeOptions {
  /** Whether the body held a batch of messages, which is answered by a batch. */
  batch: boolean;
  /** Whether the client accepts a stream of events. */
  mayStream: boolean;
  /** Error answers to invalid messages of the batch. */
  errors?: readonly JSONRPCMessage[];
  /** The headers that go with an answer. */
  headers?: (answer: JSONRPCMessage) => OutgoingHttpHeaders;
}

/** When a client disconnects, its requests are not cancelled: it may come back and resume the stream. */
export class Exchange {
  /** The requests that still have no answer. */
  readonly open: Set<Id>;
  readonly #reply: Reply;
  readonly #options: ExchangeOptions;
  readonly #streams: EventStreams;
  readonly #answers: Answer[] = [];
  /** How many answers are being written in turns. */
  #writing = 0;
  /** The length of the answers as one JSON list, with its commas and brackets. */
  #bytes = 1;
  #stream: EventStream | undefined;
  readonly #startLate = () => this.#startStream();

  constructor(reply: Reply, ids: readonly Id[], options: ExchangeOptions, streams: EventStreams) {
    this.#reply = reply;
    this.open = new Set(ids);
    this.#options = options;
    this.#streams = streams;
    for (const error of options.errors ?? []) this.#add(error, asJson(error));
    if (ids.length === 0) this.#finish();
    if (!options.mayStream || ids.length === 0) return;
    if (streams.primes) streams.slowReplies.add(this.#startLate);
    else reply.onSlow = this.#startLate;
  }

  answer(id: Id, message: JSONRPCMessage): void {
    if (!this.open.delete(id)) return;
    if (isLong(message)) void this.#addInTurns(message);
    else this.#add(message, asJson(message));
    this.#finishIfDone();
  }

  /** Whether a message can go out before the answer. */
  get mayNotify(): boolean {
    return this.#options.mayStream && this.open.size > 0 && !this.#reply.done;
  }

  /** Sends a message before the answer. */
  notify(message: JSONRPCMessage): void {
    if (!this.#options.mayStream) return;
    this.#startStream();
    this.#stream?.send(message);
  }

  /** The client has cancelled a request: it gets no answer, and the exchange does not wait for one. */
  cancel(id: Id): void {
    if (this.open.delete(id)) this.#finishIfDone();
  }

  /** Answers every open request with an error. */
  fail(code: number, message: string): void {
    for (const id of [...this.open]) this.answer(id, { jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Starts no stream for a client that has disconnected: it has no event id from which it could resume. */
  #startStream(): void {
    if (this.#stream || this.#reply.done) return;
    this.#stream = this.#streams.open();
    this.#stream.attach(this.#reply);
    for (const { json } of this.#answers.splice(0)) this.#stream.sendJson(json);
  }

  async #addInTurns(message: JSONRPCMessage): Promise<void> {
    this.#writing++;
    const json = await longAnswer(message);
    this.#writing--;
    this.#add(message, json);
    this.#finishIfDone();
  }

  /** If the answers are too long for one body and the client accepts events, sends each answer as an event. */
  #add(message: JSONRPCMessage, json: Json): void {
    const { batch, mayStream } = this.#options;
    if (batch && mayStream && !this.#stream) {
      this.#bytes += bytesIn(json) + 1;
      if (this.#bytes > MAX_MESSAGE_BYTES) this.#startStream();
    }
    if (this.#stream) this.#stream.sendJson(json);
    else this.#answers.push({ message, json });
  }

  #finishIfDone(): void {
    if (this.open.size === 0 && this.#writing === 0) this.#finish();
  }

  #finish(): void {
    this.#streams.slowReplies.drop(this.#startLate);
    const [first] = this.#answers;
    if (this.#stream) this.#stream.end();
    else if (first === undefined) this.#reply.empty(202);
    else {
      const body = this.#options.batch ? answerList(this.#answers) : first.json;
      this.#reply.json(200, body, this.#options.headers?.(first.message));
    }
  }
}
