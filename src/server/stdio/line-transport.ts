/**
 * The stdio transport: one JSON message per line.
 *
 * It answers a line that is not JSON in UTF-8 with -32700 and one that is not a JSON-RPC message with -32600, and reads
 * on. When the input ends, it waits for the answers to calls in flight before it closes.
 */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, JSONRPCNotification } from '@modelcontextprotocol/server';
import { Yielder } from '../../engine/index.ts';
import { LineBatch, WITH_BATCHES, whyNotBatch } from '../mcp/messages/batch.ts';
import { isLongMessage, NotUtf8, readJsonAtOnce, readJsonInTurns } from '../mcp/messages/json-reader.ts';
import {
  type Id,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idOf,
  isId,
  PARSE_ERROR,
} from '../mcp/messages/json-rpc.ts';
import { asJson, whyNotCall, whyNotMessage, whyNotMeta, withoutExtras } from '../mcp/messages/messages.ts';
import { LineWriter } from './line-writer.ts';

const NEWLINE = 10;
/** The notification for a client of 2026-07-28 that begins to listen, and the `_meta` key with the request's id. */
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** A line as it was received. */
interface IncomingLine {
  parts: Buffer[];
  length: number;
  tooLong: boolean;
}

export class LineTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** Called with a message whose params are invalid, after the transport has answered it. */
  oninvalid?: ((message: JSONRPCMessage, answer: string) => void) | undefined;

  readonly #input: Readable;
  readonly #output: Writable;
  #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;
  /** The lines that are being read in turns, in order; undefined when there are none. */
  #waiting: IncomingLine[] | undefined;
  #ended = false;
  #closed = false;
  /** How many requests with each id are neither answered nor cancelled: a client may use an id twice. */
  readonly #unanswered = new Map<Id, number>();
  /** The batches of those requests that came in one. */
  readonly #batches = new Map<Id, LineBatch>();
  /** The version that the client asked for. The server always accepts the one with batches. */
  #version: unknown;
  readonly #writer: LineWriter;
  /** Has no signal: the server always reads to the end what a client has sent. */
  readonly #yielder = new Yielder(undefined);

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.#writer = new LineWriter(output);
  }

  start(): void {
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onEnd);
    this.#input.on('close', this.#onEnd);
    this.#input.on('error', this.#onInputError);
    this.#output.on('error', this.#onOutputError);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    const id = 'id' in message && !('method' in message) ? message.id : undefined;
    const batch = id === undefined ? undefined : this.#batches.get(id);
    if (batch) batch.settle(id!, asJson(message));
    else {
      const sending = this.#writer.send(message);
      if (sending) await sending;
    }
    if (this.#writer.blocked) await this.#writer.blocked;
    if (id !== undefined) this.#settle(id);
    else if ('method' in message && message.method === ACKNOWLEDGED) this.#settleListening(message);
  }

  /** A listening request has no answer until the client disconnects: at the end of the input, do not wait for one. */
  #settleListening({ params }: JSONRPCNotification): void {
    const id = params?._meta?.[SUBSCRIPTION_ID];
    if (isId(id)) this.#settle(id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#writer.close();
    this.#closed = true;
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#parts = [];
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      // Skip empty lines cheaply: there may be very many.
      if (at > from) this.#collect(chunk.subarray(from, at));
      from = at + 1;
      this.#endLine();
    }
    this.#collect(chunk.subarray(from));
  };

  /** The client no longer reads, so the server stops its work, too. */
  readonly #onOutputError = (error: Error): void => {
    if (this.#closed) return;
    // It is not an error that a client closes the pipe, and there may be nobody left to read a report.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') this.onerror?.(error);
    void this.close();
  };

  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error);
    this.#onEnd();
  };

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#length > 0) this.#endLine();
    this.#closeWhenAnswered();
  };

  #collect(part: Buffer): void {
    if (part.length === 0 || this.#skipping) return;
    this.#length += part.length;
    if (this.#length > MAX_LINE_BYTES) {
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }

  #endLine(): void {
    if (this.#length === 0) return;
    const line = { parts: this.#parts, length: this.#length, tooLong: this.#skipping };
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (this.#waiting) {
      this.#waiting.push(line);
      return;
    }
    const due = isQuick(line) ? this.#yielder.pause() : undefined;
    if (due || !isQuick(line)) void this.#readInTurns(line, due);
    else this.#readAtOnce(line);
  }

  #readAtOnce({ parts, tooLong }: IncomingLine): void {
    if (tooLong) {
      this.#refuse(
        INVALID_REQUEST,
        `Invalid request: a message may have at most ${MAX_LINE_BYTES} bytes`,
        null,
      );
      return;
    }
    let value: unknown;
    try {
      value = readJsonAtOnce(parts);
    } catch (error) {
      const isBlank = Buffer.concat(parts).toString('utf8').trim() === '';
      if (!isBlank) this.#refuseUnread(error);
      return;
    }
    this.#receive(value);
  }

  /** Reads a long line, or very many lines, in turns. The lines after it wait, so that messages keep their order. */
  async #readInTurns(first: IncomingLine, due?: Promise<void>): Promise<void> {
    const waiting = [first];
    this.#waiting = waiting;
    this.#input.pause();
    await due;
    // The list may grow during the loop.
    for (const line of waiting) {
      if (this.#closed) break;
      if (isQuick(line)) {
        this.#readAtOnce(line);
        const nextDue = this.#yielder.pause();
        if (nextDue) await nextDue;
        continue;
      }
      await readJsonInTurns(line.parts, line.length).then(
        (value) => this.#closed || this.#receive(value),
        (error: unknown) => this.#refuseUnread(error),
      );
    }
    this.#waiting = undefined;
    if (this.#closed) return;
    this.#input.resume();
    this.#closeWhenAnswered();
  }

  #refuseUnread(error: unknown): void {
    const what = error instanceof NotUtf8 ? 'UTF-8' : 'JSON';
    this.#refuse(PARSE_ERROR, `Parse error: the line is not valid ${what}`, null);
  }

  #receive(value: unknown): void {
    if (Array.isArray(value)) this.#receiveBatch(value);
    else this.#take(value, whyNotMessage(value));
  }

  #receiveBatch(values: readonly unknown[]): void {
    const known = this.#version === WITH_BATCHES;
    const problem = known ? whyNotBatch(values) : 'batches are not supported; send one message per line';
    if (problem !== undefined) {
      this.#refuse(INVALID_REQUEST, `Invalid request: ${problem}`, null);
      return;
    }
    const batch = new LineBatch((line) => this.#writer.write(line));
    for (const value of values) this.#take(value, whyNotMessage(value) ?? this.#whyNotBatched(value), batch);
    batch.complete();
    this.#closeWhenAnswered();
  }

  /** Two open requests with the same id would get answers that the client cannot tell apart. */
  #whyNotBatched(value: unknown): string | undefined {
    if ((value as { method?: unknown }).method === 'initialize') return 'initialize must be sent alone';
    const id = idOf(value);
    return id !== null && this.#unanswered.has(id) ? 'another request with this id is under way' : undefined;
  }

  /** Passes one message on, or answers with what is wrong with it. */
  #take(value: unknown, problem: string | undefined, batch?: LineBatch): void {
    if (problem !== undefined) {
      this.#refuse(INVALID_REQUEST, `Invalid request: ${problem}`, idOf(value), batch);
      return;
    }
    const message = withoutExtras(value as JSONRPCMessage);
    const badParams = whyNotMeta(message) ?? whyNotCall(message);
    if (badParams !== undefined) {
      // A notification gets no answer.
      if (!('id' in message)) return;
      const answer = `Invalid params: ${badParams}`;
      this.#refuse(INVALID_PARAMS, answer, idOf(value), batch);
      this.oninvalid?.(message, answer);
      return;
    }
    this.#follow(message, batch);
    this.onmessage?.(message);
  }

  #follow(message: JSONRPCMessage, batch: LineBatch | undefined): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      this.#unanswered.set(message.id, (this.#unanswered.get(message.id) ?? 0) + 1);
      if (message.method === 'initialize') this.#version = message.params?.protocolVersion;
      if (!batch) return;
      batch.expect(message.id);
      this.#batches.set(message.id, batch);
    } else if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as Id | undefined;
      if (id !== undefined) this.#settle(id);
    }
  }

  #settle(id: Id): void {
    const left = (this.#unanswered.get(id) ?? 0) - 1;
    if (left > 0) this.#unanswered.set(id, left);
    else this.#unanswered.delete(id);
    const batch = this.#batches.get(id);
    this.#batches.delete(id);
    // A request that the batch still expects was cancelled by the client: it gets no answer.
    if (batch?.has(id)) batch.settle(id);
    this.#closeWhenAnswered();
  }

  #closeWhenAnswered(): void {
    if (!this.#ended || this.#closed || this.#waiting || this.#unanswered.size > 0) return;
    this.#writer.flush();
    // The stream may still buffer the last answer.
    setImmediate(() => void this.close());
  }

  #refuse(code: number, message: string, id: Id | null, batch?: LineBatch): void {
    const answer = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
    // Do not settle the id: another request may have the same one and still wait for its answer.
    if (batch) batch.settle(null, answer);
    else this.#writer.write(`${answer}\n`);
  }
}

function isQuick({ length, tooLong }: IncomingLine): boolean {
  return tooLong || !isLongMessage(length);
}
