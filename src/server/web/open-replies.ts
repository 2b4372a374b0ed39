/** Keeps track of all requests that have no complete reply yet, with the grants of those that have shown a token. */
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import type { HttpLimits } from './limits.ts';
import type { Refusal, Reply } from './reply.ts';
import type { Grant } from './tokens/tokens.ts';

const POLL_MS = 10;
const TOO_MANY_CONNECTIONS: Refusal = {
  status: 503,
  retryAfter: 2,
  message: 'There are too many connections: try again',
};

export class OpenReplies {
  readonly connections: Connections;
  readonly #grants = new Map<Reply, Grant | undefined>();
  readonly #bySocket = new WeakMap<Socket, Set<Reply>>();

  constructor(connections: Connections) {
    this.connections = connections;
  }

  add(reply: Reply): void {
    this.connections.track(reply);
    this.#grants.set(reply, undefined);
    const onSameSocket = this.#on(reply.request.socket);
    onSameSocket.add(reply);
    reply.whenOver(() => {
      onSameSocket.delete(reply);
      this.#grants.delete(reply);
    });
  }

  /** Assigns a request that has shown a token to its grant. Refuses it if there are too many connections. */
  accept(reply: Reply, grant: Grant): Refusal | undefined {
    this.#grants.set(reply, grant);
    if (this.connections.authenticate(reply)) return undefined;
    reply.response.shouldKeepAlive = false;
    return TOO_MANY_CONNECTIONS;
  }

  get unsentBytes(): number {
    let bytes = 0;
    for (const reply of this.#grants.keys()) bytes += reply.unsentBytes;
    return bytes;
  }

  get isEmpty(): boolean {
    return this.#grants.size === 0;
  }

  tick(now: number, limits: HttpLimits): void {
    this.connections.tick(now);
    for (const reply of this.#grants.keys()) reply.tick(now, limits);
  }

  /** Closes the connections on which clients with this grant wait for a reply. */
  abort(grant: Grant): void {
    for (const [reply, owner] of this.#grants) if (owner === grant) reply.destroy();
  }

  /** From now on each connection closes after its reply. Endless streams end at once. */
  drain(): void {
    for (const reply of this.#grants.keys()) {
      if (!reply.response.headersSent) reply.response.shouldKeepAlive = false;
      if (!reply.isEndless) continue;
      reply.onDisconnect?.();
      reply.end();
    }
  }

  /** Waits for the replies to all requests that have shown a token, at most until the deadline. */
  async untilAnswered(deadline: number): Promise<void> {
    const isAnyOpen = () => [...this.#grants.values()].some((grant) => grant !== undefined);
    while (isAnyOpen() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  /** The replies on one connection. When it closes, all of them end, including those that wait behind another reply. */
  #on(socket: Socket): Set<Reply> {
    const known = this.#bySocket.get(socket);
    if (known) return known;
    const replies = new Set<Reply>();
    this.#bySocket.set(socket, replies);
    socket.once('close', () => {
      for (const reply of replies) reply.over();
    });
    return replies;
  }
}
