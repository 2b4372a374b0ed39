/** A bounded set of connections, with a bounded queue of callers that wait for one. */
import { StateUnavailable } from '../../state.ts';
import type { Connection } from './connection.ts';

/** A caller got no connection in time, because too many ask for one. */
export class PoolTimeout extends Error {
  constructor() {
    super('too many changes wait for the database');
  }
}

interface ConnectionWaiter {
  take(connection: Connection): void;
  refuse(error: Error): void;
}

export interface PoolBounds {
  most: number;
  mostWaiting: number;
  waitMs: number;
}

export class Pool {
  readonly #open: () => Promise<Connection>;
  readonly #bounds: PoolBounds;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionWaiter>();
  readonly #used = new Set<Connection>();
  /** Connections that are open or being opened. */
  #count = 0;
  #closed = false;

  constructor(open: () => Promise<Connection>, bounds: PoolBounds) {
    this.#open = open;
    this.#bounds = bounds;
  }

  /** Lends a connection to `use` until it settles, and discards the connection if it was lost. */
  async with<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    this.#used.add(connection);
    try {
      return await use(connection);
    } finally {
      this.#used.delete(connection);
      this.#giveBack(connection);
    }
  }

  /** Ends all connections for good. */
  close(): void {
    this.#closed = true;
    this.drop(new StateUnavailable());
  }

  /** Discards all idle connections, and refuses the callers that wait for one. */
  drop(error: Error): void {
    for (const waiting of this.#waiting) waiting.refuse(error);
    for (const connection of this.#idle.splice(0)) this.#discard(connection);
    if (this.#closed) for (const connection of this.#used) connection.close();
  }

  async #take(): Promise<Connection> {
    if (this.#closed) throw new StateUnavailable();
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.isLost) {
        idle.ref();
        return idle;
      }
      this.#discard(idle);
    }
    if (this.#count >= this.#bounds.most) return this.#wait();
    this.#count++;
    try {
      return await this.#open();
    } catch (error) {
      this.#count--;
      throw error;
    }
  }

  #wait(): Promise<Connection> {
    const { mostWaiting, waitMs } = this.#bounds;
    if (this.#waiting.size >= mostWaiting) return Promise.reject(new PoolTimeout());
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
      };
      const waiting: ConnectionWaiter = {
        take: (connection) => {
          leave();
          resolve(connection);
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const timer = setTimeout(() => waiting.refuse(new PoolTimeout()), waitMs);
      this.#waiting.add(waiting);
    });
  }

  #giveBack(connection: Connection): void {
    if (connection.isLost || this.#closed) {
      this.#discard(connection);
      // A waiting caller gets a new connection instead.
      const next = this.#closed ? undefined : this.#nextWaiting();
      if (next) void this.#take().then(next.take, next.refuse);
      return;
    }
    const next = this.#nextWaiting();
    if (next) {
      next.take(connection);
      return;
    }
    connection.unref();
    this.#idle.push(connection);
  }

  #nextWaiting(): ConnectionWaiter | undefined {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    return next;
  }

  #discard(connection: Connection): void {
    connection.close();
    this.#count--;
  }
}
