/**
 * Locks between all machines of a fleet: rows that are locked in a transaction for as long as the task runs.
 *
 * Inside this process each key has a queue, so that many tasks that wait for one file need only one connection. The
 * database frees the rows when the transaction ends, and ends the transaction when it hears nothing from the holder.
 */
import { type LockQueues, type Release, releaseAll } from '../../lock-queues.ts';
import { type Lease, type LockKey, type Locks, LockTimeout } from '../../locks.ts';
import type { SharedPaths } from '../../state.ts';
import { type Connection, LOCK_NOT_AVAILABLE, sqlState } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';
import { PoolTimeout } from '../connections/pool.ts';
import { LastChanges, leftStatement, unsettledStatement } from './last-changes.ts';
import { LEASE_MS, TransactionLease } from './lease.ts';
import { type LockRow, lockStatements, rowOfPath, rowsOf } from './lock-rows.ts';

const WAIT_MS = 30_000;
/** Waits for rows this long at a time, to notice in between when the caller has given up. */
const PORTION_MS = 2000;
const LOCK_ANSWER_MS = 20_000;
/** The rows are locked by others; or a deadlock, which the order of rows should rule out. */
const NOT_NOW = [LOCK_NOT_AVAILABLE, '40P01'];
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
    this.#database.breaker.requireAvailable();
    const release = await this.#enterQueues(rows);
    try {
      signal?.throwIfAborted();
      return await this.#database.withLockConnection(async (connection) => {
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
      return await this.#database.withLockConnection(async (connection) => {
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
    return releaseAll(held);
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
      // Insert rows outside of the transaction that locks them, so that nobody has to wait for its end.
      await connection.query('ROLLBACK');
      await connection.query(
        `INSERT INTO ${table} (key) SELECT decode(each, 'hex') FROM unnest($1::text[]) AS each ORDER BY each
         ON CONFLICT DO NOTHING`,
        [rows.map(({ hash }) => hash)],
      );
    }
  }

  /**
   * What the task did stays done, whatever happens to the transaction. The commit does not wait for the disk: if a
   * power cut loses the row, the next holder only has to check more.
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

/** A caller that aborts a wait closes the connection, and the database then ends the wait. */
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
