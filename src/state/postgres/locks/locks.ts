/**
 * Locks between all machines of a fleet: locked rows, in a transaction that lasts as long as the task.
 *
 * Inside this process each key has a queue, so that many who wait for one file take one connection. The database frees
 * the rows when the transaction ends, and ends it when it has heard nothing of the holder for a while.
 */
import type { LockQueues, Release } from '../../lock-queues.ts';
import { type Lease, type LockKey, type Locks, LockTimeout } from '../../locks.ts';
import type { SharedPaths } from '../../state.ts';
import { type Connection, sqlState } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';
import { PoolTimeout } from '../connections/pool.ts';
import { LastChanges, leftStatement, unsettledStatement } from './last-changes.ts';
import { LEASE_MS, TransactionLease } from './lease.ts';
import { type LockRow, lockStatements, rowOfPath, rowsOf } from './lock-rows.ts';

const WAIT_MS = 30_000;
/** Waits for rows in portions, to notice meanwhile that nobody wants them any more. */
const PORTION_MS = 2000;
const LOCK_ANSWER_MS = 20_000;
/** Not to be had now; and two transactions that wait for each other, which the order of rows rules out. */
const NOT_NOW = ['55P03', '40P01'];
const SETTINGS = `SET LOCAL idle_in_transaction_session_timeout = ${LEASE_MS}; SET LOCAL lock_timeout = ${PORTION_MS}`;

export class PostgresLocks implements Locks {
  readonly #database: Database;
  readonly #paths: SharedPaths;
  readonly #queues: LockQueues;

  constructor(database: Database, paths: SharedPaths, queues: LockQueues) {
    this.#database = database;
    this.#paths = paths;
    this.#queues = queues;
  }

  async hold<T>(
    keys: readonly LockKey[],
    task: (lease: Lease | undefined) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const rows = rowsOf(keys, this.#paths);
    this.#database.breaker.requireThere();
    const release = await this.#enterQueues(rows);
    try {
      signal?.throwIfAborted();
      return await this.#database.forLock(async (connection) => {
        const known = await this.#lock(connection, rows, signal);
        return this.#runLeased(connection, known, task);
      });
    } catch (error) {
      throw error instanceof PoolTimeout ? new LockTimeout() : error;
    } finally {
      release();
    }
  }

  async tryHold(key: LockKey, task: () => Promise<void>): Promise<boolean> {
    const rows = rowsOf([key], this.#paths);
    const own = exclusive(rows);
    if (own.some(({ hash }) => this.#queues.has(hash))) return false;
    const release = await this.#enterQueues(rows);
    try {
      return await this.#database.forLock(async (connection) => {
        const known = await this.#tryLock(connection, rows, ' NOWAIT');
        if (!known) return false;
        await this.#runLeased(connection, known, task);
        return true;
      });
    } finally {
      release();
    }
  }

  async #enterQueues(rows: readonly LockRow[]): Promise<Release> {
    const held: Release[] = [];
    for (const { hash } of exclusive(rows)) held.push(await this.#queues.enter(hash));
    return () => {
      for (const release of held.reverse()) release();
    };
  }

  async #lock(connection: Connection, rows: readonly LockRow[], signal?: AbortSignal): Promise<LastChanges> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const known = await this.#tryLock(connection, rows, '', signal);
      if (known) return known;
      signal?.throwIfAborted();
      if (performance.now() > deadline) throw new LockTimeout();
    }
  }

  async #tryLock(
    connection: Connection,
    rows: readonly LockRow[],
    now: string,
    signal?: AbortSignal,
  ): Promise<LastChanges | undefined> {
    const table = this.#database.table('locks');
    const asking = unsettledStatement(this.#database.table('planned_changes'), rows);
    const statements = [lockStatements(table, rows, SETTINGS, now), ...(asking ? [asking] : [])].join('; ');
    for (;;) {
      const asked = connection.query(statements, undefined, { ms: LOCK_ANSWER_MS });
      const found = await orAborted(asked, connection, signal).catch(async (error: unknown) => {
        if (!connection.isLost) await connection.query('ROLLBACK');
        if (NOT_NOW.includes(sqlState(error) ?? '')) return undefined;
        throw error;
      });
      if (found === undefined) return undefined;
      if (found.filter(({ key }) => key).length === rows.length) return new LastChanges(rows, found);
      // Rows are made outside of the transaction that locks them: nobody has to wait for its end.
      await connection.query('ROLLBACK');
      await connection.query(
        `INSERT INTO ${table} (key) SELECT decode(each, 'hex') FROM unnest($1::text[]) AS each ORDER BY each
         ON CONFLICT DO NOTHING`,
        [rows.map(({ hash }) => hash)],
      );
    }
  }

  /**
   * What the task has done is done, whatever becomes of the transaction. Nobody waits until what it left is on the
   * disk: a row that a power cut has taken back only makes the next holder look closer.
   */
  async #runLeased<T>(
    connection: Connection,
    known: LastChanges,
    task: (lease: Lease | undefined) => Promise<T>,
  ): Promise<T> {
    const lease = new TransactionLease(connection, known);
    try {
      return await task(lease);
    } finally {
      lease.end();
      const left = new Map(
        [...lease.left].map(([path, each]) => [rowOfPath(this.#paths.toShared(path)), each]),
      );
      const end =
        left.size === 0
          ? 'ROLLBACK'
          : `SET LOCAL synchronous_commit = off; ${leftStatement(this.#database.table('locks'), left)}; COMMIT`;
      if (!connection.isLost) await connection.query(end).catch(() => connection.close());
    }
  }
}

function exclusive(rows: readonly LockRow[]): LockRow[] {
  return rows.filter(({ mode }) => mode === 'FOR UPDATE');
}

/** A caller that gives up in the middle of a wait gives up the connection: the database ends the wait by itself. */
function orAborted<T>(asked: Promise<T>, connection: Connection, signal?: AbortSignal): Promise<T> {
  if (!signal) return asked;
  return new Promise((resolve, reject) => {
    const abort = () => {
      connection.close();
      reject(signal.reason as Error);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
