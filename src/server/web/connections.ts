/**
 * Who is connected: those who have shown a valid token, and strangers.
 *
 * A stranger costs nothing to send, so strangers get a small share and little time. Newcomers always get in: the
 * oldest stranger, of the address that has the most of them, makes room. Whoever shows a valid token leaves the share.
 */
import type { Socket } from 'node:net';
import { networkOf } from './failed-tokens.ts';
import type { HttpLimits } from './limits.ts';
import type { Reply } from './reply.ts';

/** Time for a newcomer to show its token, however many came behind it in the same moment. */
const GRACE_MS = 250;

type Limits = Pick<
  HttpLimits,
  'connections' | 'strangers' | 'strangersOfOneAddress' | 'mostStrangers' | 'strangerMs' | 'requestMs'
>;

interface Connection {
  key: string;
  socket: Socket;
  network: string;
  since: number;
  /** Requests on it that have no complete answer. */
  open: number;
}

export class Connections {
  readonly #limits: Limits;
  /** In the order of their arrival. */
  readonly #strangers = new Map<string, Connection>();
  readonly #byNetwork = new Map<string, Map<string, Connection>>();
  /** In the order in which they showed a token last. */
  readonly #known = new Map<string, Connection>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    // Gone before anybody looked.
    if (key === undefined) {
      socket.destroy();
      return;
    }
    // The same ports as an earlier connection: that one is gone, also when nobody has told so yet.
    const earlier = this.#known.get(key) ?? this.#strangers.get(key);
    if (earlier) this.#forget(earlier);
    const network = networkOf(socket.remoteAddress!);
    const connection: Connection = { key, socket, network, since: Date.now(), open: 0 };
    this.#strangers.set(key, connection);
    this.#neighbours(network).set(key, connection);
    socket.once('close', () => this.#forget(connection));
    while (this.#strangers.size > this.#limits.mostStrangers) this.#close(this.#oldestOfTheMost());
    this.#shrink(connection.since);
  }

  /** Follows one request: a connection is not idle before it is answered. */
  follow(reply: Reply): void {
    const connection = this.#find(reply);
    if (!connection) return;
    connection.open++;
    reply.whenOver(() => void connection.open--);
  }

  /** The request showed a valid token. Gives whether there is a place for its connection. */
  welcome(reply: Reply): boolean {
    const connection = this.#find(reply);
    if (!connection) return false;
    const { key } = connection;
    if (!this.#known.delete(key)) {
      if (this.#known.size >= this.#limits.connections && !this.#closeIdle()) return false;
      this.#leaveStrangers(connection);
    }
    this.#known.set(key, connection);
    return true;
  }

  tick(now: number): void {
    const { strangerMs, requestMs } = this.#limits;
    for (const connection of this.#strangers.values()) {
      const age = now - connection.since;
      if (age < strangerMs) break;
      // What is being sent to it, such as the files of the page, may take a little longer.
      if (connection.open === 0 || age >= requestMs) this.#close(connection);
    }
    this.#shrink(now);
  }

  closeAll(): void {
    for (const { socket } of [...this.#strangers.values(), ...this.#known.values()]) socket.destroy();
  }

  #shrink(now: number): void {
    const { strangers, strangersOfOneAddress } = this.#limits;
    while (this.#strangers.size > 0) {
      const oldest = this.#oldestOfTheMost();
      const crowd = this.#neighbours(oldest.network).size;
      if (this.#strangers.size <= strangers && crowd <= strangersOfOneAddress) return;
      if (now - oldest.since < GRACE_MS) return;
      this.#close(oldest);
    }
  }

  #oldestOfTheMost(): Connection {
    let most: Map<string, Connection> | undefined;
    for (const crowd of this.#byNetwork.values()) if (crowd.size > (most?.size ?? 0)) most = crowd;
    return most!.values().next().value!;
  }

  #closeIdle(): boolean {
    for (const connection of this.#known.values()) {
      if (connection.open > 0) continue;
      this.#close(connection);
      return true;
    }
    return false;
  }

  #find({ request: { socket } }: Reply): Connection | undefined {
    const key = keyOf(socket);
    return key === undefined ? undefined : (this.#known.get(key) ?? this.#strangers.get(key));
  }

  #close(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  /** Its ports may belong to a new connection by now. */
  #forget(connection: Connection): void {
    if (this.#known.get(connection.key) === connection) this.#known.delete(connection.key);
    if (this.#strangers.get(connection.key) === connection) this.#leaveStrangers(connection);
  }

  #leaveStrangers({ key, network }: Connection): void {
    this.#strangers.delete(key);
    const crowd = this.#byNetwork.get(network);
    crowd?.delete(key);
    if (crowd?.size === 0) this.#byNetwork.delete(network);
  }

  #neighbours(network: string): Map<string, Connection> {
    let crowd = this.#byNetwork.get(network);
    if (!crowd) {
      crowd = new Map();
      this.#byNetwork.set(network, crowd);
    }
    return crowd;
  }
}

/** The same for a connection and for the TLS inside it. */
function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
