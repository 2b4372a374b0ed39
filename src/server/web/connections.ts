/**
 * Keeps track of the open connections: those that have shown a valid token, and those that have not (yet).
 *
 * Anybody can open a connection, so there may be few connections without a token, and only for a short time. A new
 * connection is always accepted: if there are too many, the server closes the oldest unauthenticated one of the network
 * that has the most of them.
 */
import type { Socket } from 'node:net';
import type { HttpLimits } from './limits.ts';
import { networkOf } from './network.ts';
import type { Reply } from './reply.ts';

/** How long a new connection may take to show its token: a client may open hundreds at once, one for each call. */
const MIN_AGE_MS = 1000;
/** The same for a network that has shown a token before: a busy machine takes seconds to send hundreds of requests. */
const MIN_AGE_OF_KNOWN_MS = 3000;

type ConnectionLimits = Pick<
  HttpLimits,
  | 'connections'
  | 'unauthenticated'
  | 'unauthenticatedPerAddress'
  | 'maxUnauthenticated'
  | 'unauthenticatedMs'
  | 'requestMs'
>;

interface ClientConnection {
  key: string;
  socket: Socket;
  network: string;
  since: number;
  /** How many requests on it have no complete reply. */
  openReplies: number;
  isOpen: boolean;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  /** The connections without a valid token, in the order of their arrival. */
  readonly #unauthenticated = new Map<string, ClientConnection>();
  readonly #unauthenticatedByNetwork = new Map<string, Map<string, ClientConnection>>();
  /** The connections with a valid token, in the order in which they last showed it. */
  readonly #authenticated = new Map<string, ClientConnection>();
  /** How many authenticated connections each network has. */
  readonly #authenticatedOf = new Map<string, number>();
  #surplusDue = false;
  /** Connections that have had a request, by socket: a lookup by address takes longer. */
  readonly #bySocket = new WeakMap<Socket, ClientConnection>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    // The client has already disconnected.
    if (key === undefined) {
      socket.destroy();
      return;
    }
    // An earlier connection with the same address and port has ended, even if its 'close' event has not arrived yet.
    const earlier = this.#authenticated.get(key) ?? this.#unauthenticated.get(key);
    if (earlier) this.#forget(earlier);
    const network = networkOf(socket.remoteAddress!);
    const connection: ClientConnection = {
      key,
      socket,
      network,
      since: Date.now(),
      openReplies: 0,
      isOpen: true,
    };
    this.#unauthenticated.set(key, connection);
    this.#unauthenticatedOf(network).set(key, connection);
    socket.once('close', () => this.#forget(connection));
    while (this.#unauthenticated.size > this.#limits.maxUnauthenticated)
      this.#close(this.#oldestOfLargestNetwork());
    this.#closeSurplusSoon();
  }

  /** Counts a request, so that its connection does not count as idle before the reply is complete. */
  track(reply: Reply): void {
    const connection = this.#find(reply);
    if (!connection) return;
    connection.openReplies++;
    reply.whenOver(() => void connection.openReplies--);
  }

  /** Called when a request has shown a valid token. Gives whether its connection may stay. */
  authenticate(reply: Reply): boolean {
    const connection = this.#find(reply);
    if (!connection) return false;
    const { key } = connection;
    if (!this.#authenticated.delete(key)) {
      if (this.#authenticated.size >= this.#limits.connections && !this.#closeOneIdle()) return false;
      this.#removeUnauthenticated(connection);
      this.#countAuthenticated(connection.network, 1);
    }
    this.#authenticated.set(key, connection);
    return true;
  }

  tick(now: number): void {
    const { unauthenticatedMs, requestMs } = this.#limits;
    for (const connection of this.#unauthenticated.values()) {
      const age = now - connection.since;
      if (age < unauthenticatedMs) break;
      // A reply under way, such as a file of the page, gets a little more time.
      if (connection.openReplies === 0 || age >= requestMs) this.#close(connection);
    }
    this.#closeSurplusSoon();
  }

  closeAll(): void {
    for (const { socket } of [...this.#unauthenticated.values(), ...this.#authenticated.values()])
      socket.destroy();
  }

  /**
   * After the event loop was blocked, a token may have waited unread for longer than a connection may stay without one.
   * So the server waits two turns: between them, it reads what has arrived.
   */
  #closeSurplusSoon(): void {
    if (this.#surplusDue) return;
    this.#surplusDue = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#surplusDue = false;
        this.#closeSurplus(Date.now());
      }),
    );
  }

  #closeSurplus(now: number): void {
    const { unauthenticated, unauthenticatedPerAddress } = this.#limits;
    while (this.#unauthenticated.size > 0) {
      const oldest = this.#oldestOfLargestNetwork();
      const ofNetwork = this.#unauthenticatedOf(oldest.network).size;
      if (this.#unauthenticated.size <= unauthenticated && ofNetwork <= unauthenticatedPerAddress) return;
      const isKnown = this.#authenticatedOf.has(oldest.network);
      if (now - oldest.since < (isKnown ? MIN_AGE_OF_KNOWN_MS : MIN_AGE_MS)) return;
      this.#close(oldest);
    }
  }

  #oldestOfLargestNetwork(): ClientConnection {
    let largest: Map<string, ClientConnection> | undefined;
    for (const network of this.#unauthenticatedByNetwork.values())
      if (network.size > (largest?.size ?? 0)) largest = network;
    return largest!.values().next().value!;
  }

  #closeOneIdle(): boolean {
    for (const connection of this.#authenticated.values()) {
      if (connection.openReplies > 0) continue;
      this.#close(connection);
      return true;
    }
    return false;
  }

  #find({ request: { socket } }: Reply): ClientConnection | undefined {
    const known = this.#bySocket.get(socket);
    if (known) return known.isOpen ? known : undefined;
    const key = keyOf(socket);
    const found =
      key === undefined ? undefined : (this.#authenticated.get(key) ?? this.#unauthenticated.get(key));
    if (found) this.#bySocket.set(socket, found);
    return found;
  }

  #close(connection: ClientConnection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  /** Removes only this connection: a new one may already have the same address and port. */
  #forget(connection: ClientConnection): void {
    const { key } = connection;
    connection.isOpen = false;
    if (this.#authenticated.get(key) === connection) {
      this.#authenticated.delete(key);
      this.#countAuthenticated(connection.network, -1);
    }
    if (this.#unauthenticated.get(key) === connection) this.#removeUnauthenticated(connection);
  }

  #countAuthenticated(network: string, change: 1 | -1): void {
    const count = (this.#authenticatedOf.get(network) ?? 0) + change;
    if (count > 0) this.#authenticatedOf.set(network, count);
    else this.#authenticatedOf.delete(network);
  }

  #removeUnauthenticated({ key, network }: ClientConnection): void {
    this.#unauthenticated.delete(key);
    const ofNetwork = this.#unauthenticatedByNetwork.get(network);
    ofNetwork?.delete(key);
    if (ofNetwork?.size === 0) this.#unauthenticatedByNetwork.delete(network);
  }

  #unauthenticatedOf(network: string): Map<string, ClientConnection> {
    let ofNetwork = this.#unauthenticatedByNetwork.get(network);
    if (!ofNetwork) {
      ofNetwork = new Map();
      this.#unauthenticatedByNetwork.set(network, ofNetwork);
    }
    return ofNetwork;
  }
}

/** The address and port of the client, which are the same for a connection and for the TLS socket inside it. */
function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
