/** How much one HTTP server takes on before it answers 'try later'. */
export interface HttpLimits {
  bodyBytes: number;
  /** All request bodies together that clients send or calls work on. */
  allBodiesBytes: number;
  /** Connections that have shown a valid token. */
  connections: number;
  /** Connections without a valid token so far: how many may stay, in all and of one address … */
  unauthenticated: number;
  unauthenticatedPerAddress: number;
  /** … for how long; and how many there may be at any moment, however fast they come. */
  unauthenticatedMs: number;
  maxUnauthenticated: number;
  sessions: number;
  sessionsPerToken: number;
  /** A session without a request or an open stream ends after this time. */
  sessionIdleMs: number;
  /** Tool calls that run or wait. */
  calls: number;
  callsPerToken: number;
  /** Bytes of replies that clients have not read; above this the server takes no call. */
  unsentBytes: number;
  /** The time for the head of a request, and for all of it. */
  headersMs: number;
  requestMs: number;
  keepAliveMs: number;
  /** The server closes a connection whose client has read nothing of its reply for this long. */
  stalledMs: number;
  /** A reply that takes longer begins as a stream of events, so that no client gives up on it. */
  streamAfterMs: number;
  /** How often an open stream sends a comment, so that no proxy closes it. */
  heartbeatMs: number;
  /** When a reply becomes a stream for a client that can resume streams: early, so that it can come back. */
  resumableAfterMs: number;
  /** How long such a client should wait before it comes back. */
  retryMs: number;
  /** Events of one session that the server keeps for a client that comes back, for how long, and of all sessions. */
  replayEvents: number;
  replayBytes: number;
  replayMs: number;
  allReplayBytes: number;
  /** Refusals of wrong tokens that wait at the same time. */
  delayedRefusals: number;
  /** The time that calls have to end when the server stops. */
  graceMs: number;
}

const MiB = 1024 * 1024;

/** Of the head of a request, all headers together. */
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

/** What changes when the operator sets a limit: also the other limits that have to grow with it. */
export function limitsFor({ calls, bodyBytes }: { calls?: number; bodyBytes?: number }): Partial<HttpLimits> {
  const { connections, maxUnauthenticated, allBodiesBytes, requestMs } = defaultLimits;
  return {
    ...(calls !== undefined && {
      callsPerToken: calls,
      calls: 2 * calls,
      // Each call that waits has a connection of its own.
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
