/** All requests that have no complete answer yet, and whose they are once a token was shown. */
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import type { HttpLimits } from './limits.ts';
import type { Refusal, Reply } from './reply.ts';
import type { Grant } from './tokens.ts';

const LOOK_AGAIN_MS = 10;
const TOO_MANY: Refusal = {
  status: 503,
  retryAfter: 2,
  message: 'There are too many connections: try again',
};

export class OpenReplies {
  readonly connections: Connections;
  readonly #owners = new Map<Reply, Grant | undefined>();
  readonly #bySocket = new WeakMap<Socket, Set<Reply>>();

  constructor(connections: Connections) {
    this.connections = connections;
  }

  add(reply: Reply): void {
    this.connections.follow(reply);
    this.#owners.set(reply, undefined);
    const others = this.#on(reply.request.socket);
    others.add(reply);
    reply.whenOver(() => {
      others.delete(reply);
      this.#owners.delete(reply);
    });
  }

  /** Says whose request it is, now that a token was shown; refuses when there is no place for its connection. */
  belongsTo(reply: Reply, grant: Grant): Refusal | undefined {
    this.#owners.set(reply, grant);
    if (this.connections.welcome(reply)) return undefined;
    reply.response.shouldKeepAlive = false;
    return TOO_MANY;
  }

  get unsentBytes(): number {
    let bytes = 0;
    for (const reply of this.#owners.keys()) bytes += reply.unsentBytes;
    return bytes;
  }

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  tick(now: number, limits: HttpLimits): void {
    this.connections.tick(now);
    for (const reply of this.#owners.keys()) reply.tick(now, limits);
  }

  cutOff(grant: Grant): void {
    for (const [reply, owner] of this.#owners) if (owner === grant) reply.destroy();
  }

  /** Each connection is closed after its answer; what has no end by itself ends now. */
  letGo(): void {
    for (const reply of this.#owners.keys()) {
      if (!reply.response.headersSent) reply.response.shouldKeepAlive = false;
      if (!reply.endless) continue;
      reply.onGone?.();
      reply.end();
    }
  }

  /** Whoever showed no token is not waited for. */
  async untilAnswered(deadline: number): Promise<void> {
    const isWaitedFor = () => [...this.#owners.values()].some((grant) => grant !== undefined);
    while (isWaitedFor() && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }

  /** A connection that closes takes all of its answers with it, also those that wait behind another one. */
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
