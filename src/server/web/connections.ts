/**
 * The open connections: those that have shown a valid token, and those that have not (yet).
 *
 * Anybody can open a connection, so connections without a token get a small share and little time. A new connection
 * always gets in: the oldest unauthenticated one of the network that has the most of them is closed for it.
 */
import type { Socket } from 'node:net';
import type { HttpLimits } from './limits.ts';
import type { Reply } from './reply.ts';
import { networkOf } from './tokens/failed-tokens.ts';

/** Time for a new connection to show its token: a client may open one for each of hundreds of calls at once. */
const MIN_AGE_MS = 1000;
/** The same where the network has shown a token: a busy machine takes seconds to send hundreds of requests. */
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
  /** Requests on it that have no complete reply. */
  openReplies: number;
  isOpen: boolean;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  /** In the order of their arrival. */
  readonly #unauthenticated = new Map<string, ClientConnection>();
  readonly #unauthenticatedByNetwork = new Map<string, Map<string, ClientConnection>>();
  /** In the order in which they showed a token last. */
  readonly #authenticated = new Map<string, ClientConnection>();
  /** How many of them each network has. */
  readonly #authenticatedOf = new Map<string, number>();
  #surplusDue = false;
  /** Those that a request came on, by its socket: to find one by its address takes longer. */
  readonly #bySocket = new WeakMap<Socket, ClientConnection>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    // The client has hung up already.
    if (key === undefined) {
      socket.destroy();
      return;
    }
    // An earlier connection with the same address and port has ended, even if its 'close' has not reached us.
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

  /** Counts a request, so that its connection is not idle before the reply is complete. */
  track(reply: Reply): void {
    const connection = this.#find(reply);
    if (!connection) return;
    connection.openReplies++;
    reply.whenOver(() => void connection.openReplies--);
  }

  /** The request showed a valid token. Gives whether there is a place for its connection. */
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
      // A reply on its way, such as the files of the page, may take a little longer.
      if (connection.openReplies === 0 || age >= requestMs) this.#close(connection);
    }
    this.#closeSurplusSoon();
  }

  closeAll(): void {
    for (const { socket } of [...this.#unauthenticated.values(), ...this.#authenticated.values()])
      socket.destroy();
  }

  /**
   * When the event loop was held up, the token of a connection may lie unread for as long as an unauthenticated one may
   * stay. So the server first reads what has arrived, in the turn between the two.
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

  /** Its address and port may belong to a new connection by now: that one stays. */
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

/** The same for a connection and for the TLS inside it. */
function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
