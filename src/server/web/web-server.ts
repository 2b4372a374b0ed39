/** Node's HTTP server as both servers here need it: bounded in time and size, and every request answered. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { INTERNAL_ERROR } from '../mcp/json-rpc.ts';
import type { HttpLimits } from './limits.ts';
import type { OpenReplies } from './open-replies.ts';
import { type Refusal, Reply } from './reply.ts';

const LONGEST_CHECK_MS = 1000;
const MOST_HEADER_BYTES = 16 * 1024;
const MOST_HEADERS = 100;
/** Connections that were closed count until the event loop has come round. */
const CLOSING = 1024;

export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

export interface WebServerParts {
  limits: HttpLimits;
  tls?: Certificate | undefined;
  replies: OpenReplies;
  /** Answers by itself, or says how to refuse. `waits`: the client waits for leave before it sends the body. */
  serve(reply: Reply, waits: boolean): Promise<Refusal | undefined>;
  log(line: string): void;
}

export function makeWebServer(parts: WebServerParts): Server | TlsServer {
  const { limits, tls, replies } = parts;
  const { headersMs, requestMs, keepAliveMs } = limits;
  const settings = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: MOST_HEADER_BYTES,
    connectionsCheckingInterval: Math.min(LONGEST_CHECK_MS, headersMs),
    noDelay: true,
  };
  const server = tls
    ? createTlsServer({ ...settings, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: headersMs })
    : createServer(settings);
  server.maxHeadersCount = MOST_HEADERS;
  server.maxConnections = limits.connections + limits.mostStrangers + CLOSING;
  server.on('connection', (socket) => replies.connections.add(socket));
  server.on('request', (request, response) => take(parts, request, response, false));
  server.on('checkContinue', (request, response) => take(parts, request, response, true));
  return server;
}

function take(
  { replies, serve, log }: WebServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  waits: boolean,
): void {
  const reply = new Reply(request, response, Date.now());
  replies.add(reply);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  serve(reply, waits).then(
    (refusal) => refusal && reply.refuse(refusal),
    (error: unknown) => {
      log(`http: unexpected ${error instanceof Error ? error.stack : String(error)}`);
      if (response.headersSent) reply.destroy();
      else reply.refuse({ status: 500, code: INTERNAL_ERROR, message: 'Internal error' });
    },
  );
}
