/** How much one HTTP server takes on before it says 'later'. */
export interface HttpLimits {
  bodyBytes: number;
  /** All request bodies together that are being received or worked on. */
  allBodiesBytes: number;
  /** Connections on which a valid token was shown. */
  connections: number;
  /** Connections on which none was shown yet: these stay, all together and of one address … */
  strangers: number;
  strangersOfOneAddress: number;
  /** … for this long at the most; and never are there more than these, however fast they come. */
  strangerMs: number;
  mostStrangers: number;
  sessions: number;
  sessionsOfOneToken: number;
  /** A session without a request or an open stream ends after this time. */
  sessionIdleMs: number;
  /** Tool calls under way or waiting for their turn. */
  calls: number;
  callsOfOneToken: number;
  /** Answers that wait to be read by their clients; with more than this no call is taken. */
  unsentBytes: number;
  /** The time for the head of a request, and for all of it. */
  headersMs: number;
  requestMs: number;
  keepAliveMs: number;
  /** A client that takes nothing of its answer for this long is cut off. */
  stalledMs: number;
  /** An answer that is not there after this time begins as a stream of events, so that nobody gives up on it. */
  silenceMs: number;
  heartbeatMs: number;
  /** The same for a client that knows how to come back for its answer, so that it can do so early. */
  primeMs: number;
  /** When such a client is to come back. */
  retryMs: number;
  /** Events of one session that are kept for a client that comes back, how long after the answer, and of all sessions. */
  keptEvents: number;
  keptBytes: number;
  keptMs: number;
  allKeptBytes: number;
  /** Refusals of wrong tokens that are held back at the same time. */
  heldRefusals: number;
  /** The time that calls have to end when the server ends. */
  graceMs: number;
}

const MiB = 1024 * 1024;

export const usualLimits: HttpLimits = {
  bodyBytes: 4 * MiB,
  allBodiesBytes: 256 * MiB,
  connections: 2304,
  strangers: 64,
  strangersOfOneAddress: 32,
  strangerMs: 10_000,
  mostStrangers: 512,
  sessions: 1024,
  sessionsOfOneToken: 512,
  sessionIdleMs: 30 * 60_000,
  calls: 2048,
  callsOfOneToken: 1024,
  unsentBytes: 256 * MiB,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 60_000,
  stalledMs: 60_000,
  silenceMs: 10_000,
  heartbeatMs: 15_000,
  primeMs: 500,
  retryMs: 1000,
  keptEvents: 1000,
  keptBytes: 16 * MiB,
  keptMs: 5 * 60_000,
  allKeptBytes: 256 * MiB,
  heldRefusals: 64,
  graceMs: 5_000,
};

/** The limits with what the operator asks for, and whatever else has to grow with it. */
export function limitsFor({ calls, bodyBytes }: { calls?: number; bodyBytes?: number }): Partial<HttpLimits> {
  const { connections, allBodiesBytes, requestMs } = usualLimits;
  return {
    ...(calls !== undefined && {
      callsOfOneToken: calls,
      calls: 2 * calls,
      // Each call that waits has a connection of its own.
      connections: Math.max(connections, 2 * calls + 256),
    }),
    ...(bodyBytes !== undefined && {
      bodyBytes,
      allBodiesBytes: Math.max(allBodiesBytes, 4 * bodyBytes),
      requestMs: requestMs + Math.ceil(bodyBytes / MiB) * 1000,
    }),
  };
}
