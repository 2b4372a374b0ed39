/** The limits of one HTTP server. When one is reached, the server refuses requests or closes connections. */
export interface HttpLimits {
  bodyBytes: number;
  /** The size of all request bodies together that are being received or processed. */
  allBodiesBytes: number;
  /** How many connections with a valid token there may be. */
  connections: number;
  /** How many connections without a valid token may stay open. */
  unauthenticated: number;
  unauthenticatedPerAddress: number;
  /** How long a connection without a valid token may stay open. */
  unauthenticatedMs: number;
  /** How many connections without a valid token there may be at any moment, however fast they arrive. */
  maxUnauthenticated: number;
  sessions: number;
  sessionsPerToken: number;
  /** How long a session lasts without a request or an open stream. */
  sessionIdleMs: number;
  /** How many tool calls may run or wait. */
  calls: number;
  callsPerToken: number;
  /** How many bytes of unread replies there may be; above this the server accepts no calls. */
  unsentBytes: number;
  /** How long a client may take to send the headers of a request. */
  headersMs: number;
  /** How long a client may take to send a whole request. */
  requestMs: number;
  keepAliveMs: number;
  /** How long a client may read nothing of its reply before the server closes the connection. */
  stalledMs: number;
  /** When a slow reply becomes a stream of events, so that the client does not give up on it. */
  streamAfterMs: number;
  /** How often an idle stream sends a comment, so that no proxy closes it. */
  heartbeatMs: number;
  /** The same as `streamAfterMs` for a client that can resume streams: earlier, so that it can come back. */
  resumableAfterMs: number;
  /** How long such a client should wait before it comes back. */
  retryMs: number;
  /** How many events of one session the server keeps for a client that comes back. */
  replayEvents: number;
  replayBytes: number;
  /** How long the server keeps the events of a stream that has ended. */
  replayMs: number;
  /** The size of the kept events of all sessions together. */
  allReplayBytes: number;
  /** How many refusals of wrong tokens may be delayed at the same time. */
  delayedRefusals: number;
  /** How much time calls get to finish when the server stops. */
  graceMs: number;
}

const MiB = 1024 * 1024;

/** The size of all headers of a request together. */
export const MAX_HEADER_BYTES = 16 * 1024;

export const defaultLimits: HttpLimits = {
  bodyBytes: 4 * MiB,
  allBodiesBytes: 256 * MiB,
  connections: 2304,
  unauthenticated: 64,
  unauthenticatedPerAddress: 32,
  unauthenticatedMs: 10_000,
  maxUnauthenticated: 1536,
  sessions: 1024,
  sessionsPerToken: 512,
  sessionIdleMs: 30 * 60_000,
  calls: 2048,
  callsPerToken: 1024,
  unsentBytes: 256 * MiB,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 60_000,
  stalledMs: 60_000,
  streamAfterMs: 10_000,
  heartbeatMs: 15_000,
  resumableAfterMs: 500,
  retryMs: 1000,
  replayEvents: 1000,
  replayBytes: 16 * MiB,
  replayMs: 5 * 60_000,
  allReplayBytes: 256 * MiB,
  delayedRefusals: 64,
  graceMs: 5_000,
};

/** The limits that the operator sets, with the other limits that have to grow with them. */
export function limitsFor({ calls, bodyBytes }: { calls?: number; bodyBytes?: number }): Partial<HttpLimits> {
  const { connections, maxUnauthenticated, allBodiesBytes, requestMs } = defaultLimits;
  return {
    ...(calls !== undefined && {
      callsPerToken: calls,
      calls: 2 * calls,
      // Each waiting call has a connection of its own.
      connections: Math.max(connections, 2 * calls + 256),
      maxUnauthenticated: Math.max(maxUnauthenticated, calls + 512),
    }),
    ...(bodyBytes !== undefined && {
      bodyBytes,
      allBodiesBytes: Math.max(allBodiesBytes, 4 * bodyBytes),
      requestMs: requestMs + Math.ceil(bodyBytes / MiB) * 1000,
    }),
  };
}
