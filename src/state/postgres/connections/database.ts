/**
 * The connections of one process to the database. Connections that hold locks come from a pool of their own: the holder
 * of a lock needs a second connection to write the journal, and must never wait for one that another lock holds.
 */
import { StateUnavailable } from '../../state.ts';
import { ensureSchema } from '../schema.ts';
import { Breaker } from './breaker.ts';
import { Connection, NoAnswer, type QueryOptions, type Row, sqlState, type Values } from './connection.ts';
import { Pool } from './pool.ts';
import type { DatabaseSettings } from './settings.ts';

const MOST_WAITING = 10_000;
const LOCK_WAIT_MS = 30_000;
const OTHER_WAIT_MS = 10_000;

export class Database {
  readonly settings: DatabaseSettings;
  readonly breaker: Breaker;
  readonly #locks: Pool;
  readonly #others: Pool;
  #ready: Promise<void> | undefined;

  constructor(settings: DatabaseSettings) {
    this.settings = settings;
    const open = () => Connection.open(settings.client);
    const { lockConnections, otherConnections } = settings;
    this.#locks = new Pool(open, { most: lockConnections, mostWaiting: MOST_WAITING, waitMs: LOCK_WAIT_MS });
    this.#others = new Pool(open, {
      ...{ most: otherConnections, mostWaiting: MOST_WAITING, waitMs: OTHER_WAIT_MS },
    });
    this.breaker = new Breaker(
      () => probe(settings),
      (away) => {
        this.#locks.drop(away);
        this.#others.drop(away);
      },
    );
  }

  /** The name of a table, as statements write it. */
  table(name: string): string {
    return `${this.settings.schema}.${name}`;
  }

  /** The partition of the table `records` with the records of one log: faster than the whole table. */
  recordsOf(log: string): string {
    return this.table(`${log}_records`);
  }

  /** Runs one statement. */
  async query(text: string, values: Values = [], options?: QueryOptions): Promise<Row[]> {
    await this.ready();
    return this.#guarded(this.#others, (connection) => connection.query(text, values, options));
  }

  /** Runs several statements that take effect together. */
  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.ready();
    return this.#guarded(this.#others, (connection) => inTransaction(connection, work));
  }

  /** For work that no call waits for: a timeout here does not count as a failure of the database. */
  async queryInBackground(text: string, values: Values): Promise<Row[]> {
    await this.ready();
    return this.#guarded(this.#others, (connection) => connection.query(text, values), true);
  }

  async transactionInBackground<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.ready();
    return this.#guarded(this.#others, (connection) => inTransaction(connection, work), true);
  }

  /** Lends a connection for locks for as long as `use` takes. */
  async withLockConnection<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    await this.ready();
    return this.#guarded(this.#locks, use);
  }

  /** Settles when the tables exist; creates or migrates them first if necessary. */
  async ready(): Promise<void> {
    this.breaker.requireAvailable();
    this.#ready ??= this.#guarded(this.#others, (connection) =>
      ensureSchema(connection, this.settings.schema),
    );
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  close(): void {
    this.breaker.close();
    this.#locks.close();
    this.#others.close();
  }

  async #guarded<T>(
    pool: Pool,
    use: (connection: Connection) => Promise<T>,
    isBackground = false,
  ): Promise<T> {
    this.breaker.requireAvailable();
    let isLost = false;
    try {
      return await pool.with(async (connection) => {
        try {
          return await use(connection);
        } finally {
          isLost = connection.isLost;
        }
      });
    } catch (error) {
      const isAway = error instanceof StateUnavailable && !isOnlySession(error, isLost);
      if (isAway && !(isBackground && error.cause instanceof NoAnswer)) this.breaker.trip(error.cause);
      throw error;
    }
  }
}

async function inTransaction<T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  await connection.query('BEGIN');
  try {
    const result = await work(connection);
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK');
    throw error;
  }
}

/** Whether the server ended only this session, for example because it was idle for too long: others may be fine. */
function isOnlySession({ cause }: StateUnavailable, isLost: boolean): boolean {
  return isLost && ['25P03', '57P01'].includes(sqlState(cause) ?? '');
}

/** Throws for a standby too: it answers but cannot store anything. */
async function probe({ client }: DatabaseSettings): Promise<void> {
  const connection = await Connection.open(client);
  try {
    const [row] = await connection.query('SELECT pg_is_in_recovery() AS standby');
    if (row?.standby === true) throw new Error('the database is a standby');
  } finally {
    connection.close();
  }
}
