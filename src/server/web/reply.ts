/** One reply on its way: a JSON body, or a stream of events if something must be sent before the result. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { anyOf } from '../../display/any-of.ts';
import { type Id, SERVER_ERROR } from '../mcp/messages/json-rpc.ts';
import type { HttpLimits } from './limits.ts';

/** How much of a refused request the server still reads, and for how long, so that the client can read the refusal. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 1000;

export interface Refusal {
  status: number;
  message: string;
  code?: number;
  data?: unknown;
  id?: Id | null;
  retryAfter?: number;
  headers?: OutgoingHttpHeaders;
}

export class Reply {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called once when the client disconnects before the reply is complete. */
  onDisconnect: (() => void) | undefined;
  /** Functions to call once when the reply is complete or its connection is gone. */
  readonly #whenOver: (() => void)[] = [];
  #isOver = false;
  /** Called when the reply takes long. */
  onSlow: (() => void) | undefined;
  /** Whether the reply is a stream that stays open until one side ends it: no client waits for its end. */
  isEndless = false;
  #lastWriteAt: number;
  #streaming = false;
  #written = 0;
  #progressAt: number;

  constructor(request: IncomingMessage, response: ServerResponse, now: number) {
    this.request = request;
    this.response = response;
    this.#lastWriteAt = now;
    this.#progressAt = now;
    response.once('close', () => this.over());
    // Ignore errors: a write fails after the client has disconnected, and nobody needs to know.
    response.on('error', () => {});
  }

  whenOver(then: () => void): void {
    if (this.#isOver) then();
    else this.#whenOver.push(then);
  }

  /** Marks the reply as complete or its connection as gone, which Node tells only to the first of several replies. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.response.writableFinished) this.onDisconnect?.();
    this.onDisconnect = undefined;
    for (const then of this.#whenOver) then();
  }

  get streaming(): boolean {
    return this.#streaming;
  }

  get done(): boolean {
    return this.#isOver || this.response.writableEnded || this.response.destroyed;
  }

  /** How many bytes the client has not read yet. */
  get unsentBytes(): number {
    return this.response.writableLength;
  }

  /** Sends status and headers. Setting headers beforehand is slower, because Node then merges them one by one. */
  head(status: number, headers: OutgoingHttpHeaders): void {
    this.response.writeHead(status, { 'X-Content-Type-Options': 'nosniff', ...headers });
  }

  /** Sends a JSON body. A long one comes in the pieces in which it was written, in turns. */
  json(status: number, body: string | readonly Buffer[], headers: OutgoingHttpHeaders = {}): void {
    if (this.done || this.response.headersSent) return;
    const isText = typeof body === 'string';
    const length = isText ? Buffer.byteLength(body) : body.reduce((sum, piece) => sum + piece.length, 0);
    this.head(status, {
      'Content-Type': 'application/json',
      'Content-Length': length,
      'Cache-Control': 'no-store',
      ...headers,
    });
    // Node sends a string together with the headers, in one write.
    if (isText) this.response.end(body);
    else {
      for (const piece of body) this.response.write(piece);
      this.response.end();
    }
  }

  empty(status: number, headers: OutgoingHttpHeaders = {}): void {
    if (this.done || this.response.headersSent) return;
    this.head(status, { 'Cache-Control': 'no-store', 'Content-Length': 0, ...headers });
    this.response.end();
  }

  /** Refuses the request. Reads on for a moment, because a client that is still sending would not read the refusal. */
  refuse({ status, message, code = SERVER_ERROR, data, id = null, retryAfter, headers }: Refusal): void {
    const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
    const all = { ...headers, ...(retryAfter !== undefined && { 'Retry-After': retryAfter }) };
    if (!hasBody(this.request) || this.request.complete) {
      this.json(status, body, all);
      return;
    }
    if (this.done || this.response.headersSent) return;
    const length = Buffer.byteLength(body);
    const close = { 'Content-Length': length, Connection: 'close', 'Cache-Control': 'no-store' };
    this.head(status, { 'Content-Type': 'application/json', ...close, ...all });
    this.response.write(body);
    this.#endWhenRead();
  }

  startEvents(): void {
    if (this.#streaming || this.done) return;
    this.#streaming = true;
    this.head(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.response.flushHeaders();
  }

  write(text: string | Uint8Array): void {
    if (this.done) return;
    this.#lastWriteAt = Date.now();
    this.response.write(text);
  }

  end(): void {
    if (!this.done) this.response.end();
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.request.socket.destroy();
    this.response.destroy();
  }

  /** The server calls this about once a second while the reply is open. */
  tick(now: number, limits: HttpLimits): void {
    if (this.#isStalled(now, limits.stalledMs)) {
      this.destroy();
      return;
    }
    const sinceWriteMs = now - this.#lastWriteAt;
    if (this.#streaming && sinceWriteMs >= limits.heartbeatMs) this.write(': still here\n\n');
    else if (!this.#streaming && sinceWriteMs >= limits.streamAfterMs) this.onSlow?.();
  }

  /** Whether there is something to send and the client has not read any of it for too long. */
  #isStalled(now: number, stalledMs: number): boolean {
    const { socket, writableLength, writableFinished } = this.response;
    const written = socket?.bytesWritten ?? 0;
    // A reply without a socket waits for an earlier one on the same connection.
    const waiting = socket && (writableLength > 0 || (this.done && !writableFinished));
    if (!waiting || written !== this.#written) {
      this.#written = written;
      this.#progressAt = now;
      return false;
    }
    return now - this.#progressAt >= stalledMs;
  }

  #endWhenRead(): void {
    const { request, response } = this;
    const end = () => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(end, LINGER_MS);
    let left = LINGER_BYTES;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) end();
    });
    request.once('close', end);
    request.once('error', end);
    request.once('end', end);
  }
}

/** A message as a server-sent event. Its JSON is a string, or the byte pieces of a long message. */
export function eventOf(json: string | readonly Buffer[], id = ''): readonly (string | Buffer)[] {
  const head = `${id}event: message\ndata: `;
  return typeof json === 'string' ? [`${head}${json}\n\n`] : [head, ...json, '\n\n'];
}

/** The refusal of a request that is neither GET nor HEAD. */
export function whyNotGet({ method }: IncomingMessage): Refusal | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  return { ...methodNotAllowed(['GET']), headers: { Allow: 'GET, HEAD' } };
}

/** The refusal of a request whose method is none of these. */
export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const message = `This method is not allowed here: use ${anyOf(allowed)}`;
  return { status: 405, message, headers: { Allow: allowed.join(', ') } };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
