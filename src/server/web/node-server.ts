/** Sets up Node's HTTP server with limits on time, size and connections, and replies even if a route fails. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { unexpected } from '../../unexpected.ts';
import { INTERNAL_ERROR } from '../mcp/messages/json-rpc.ts';
import { type HttpLimits, MAX_HEADER_BYTES } from './limits.ts';
import type { OpenReplies } from './open-replies.ts';
import { type Refusal, Reply } from './reply.ts';

const MAX_CHECK_INTERVAL_MS = 1000;
const MAX_HEADERS = 100;
/** Room for connections that are closed but that Node still counts until the next turn of the event loop. */
const CLOSING_CONNECTIONS = 1024;

export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

export interface NodeServerOptions {
  limits: HttpLimits;
  tls?: Certificate | undefined;
  replies: OpenReplies;
  /** Sends the reply, or gives a refusal. `expectsContinue`: the client sends the body only after `100 Continue`. */
  serve(reply: Reply, expectsContinue: boolean): Promise<Refusal | undefined>;
  log(line: string): void;
}

export function createNodeServer(options: NodeServerOptions): Server | TlsServer {
  const { limits, tls, replies } = options;
  const { headersMs, requestMs, keepAliveMs } = limits;
  const settings = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, headersMs),
    noDelay: true,
  };
  const server = tls
    ? createTlsServer({ ...settings, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: headersMs })
    : createServer(settings);
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = limits.connections + limits.maxUnauthenticated + CLOSING_CONNECTIONS;
  server.on('connection', (socket) => replies.connections.add(socket));
  server.on('request', (request, response) => answer(options, request, response, false));
  server.on('checkContinue', (request, response) => answer(options, request, response, true));
  return server;
}

function answer(
  { replies, serve, log }: NodeServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): void {
  const reply = new Reply(request, response, Date.now());
  replies.add(reply);
  serve(reply, expectsContinue).then(
    (refusal) => refusal && reply.refuse(refusal),
    (error: unknown) => {
      log(`http: ${unexpected(error)}`);
      if (response.headersSent) reply.destroy();
      else reply.refuse({ status: 500, code: INTERNAL_ERROR, message: 'Internal error' });
    },
  );
}
