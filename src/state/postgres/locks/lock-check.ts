/** Checks that the database really locks rows: some that speak PostgreSQL's protocol accept the statements only. */
import { randomUUID } from 'node:crypto';
import { type Connection, LOCK_NOT_AVAILABLE, sqlState } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';
import { WorkspacePaths } from '../shared-paths.ts';
import { lockStatements, rowsOf } from './lock-rows.ts';

/** Tells the operator that the database cannot keep the changes of several machines apart. */
class NoLocks extends Error {
  constructor(what: string) {
    super(
      `the database does not lock rows as PostgreSQL does (${what}): replicas would lose each other's changes`,
    );
  }
}

export async function requireLocks(database: Database): Promise<void> {
  const table = database.table('locks');
  const [row] = rowsOf([`start-up check ${randomUUID()}`], new WorkspacePaths([]));
  const hash = row!.hash;
  await database.query(`INSERT INTO ${table} (key) VALUES (decode($1, 'hex'))`, [hash]);
  try {
    await database.withLockConnection((one) =>
      database.withLockConnection(async (two) => {
        const share = [{ hash, mode: 'FOR KEY SHARE' as const }];
        await one.query(lockStatements(table, [row!], 'SET LOCAL lock_timeout = 1000'));
        if (await isGiven(two, lockStatements(table, [row!], 'SET LOCAL lock_timeout = 50'))) {
          throw new NoLocks('two transactions locked one row');
        }
        if (await isGiven(two, lockStatements(table, share, 'SET LOCAL lock_timeout = 50', ' NOWAIT'))) {
          throw new NoLocks('a locked row was shared');
        }
        await one.query('COMMIT');
        if (!(await isGiven(two, lockStatements(table, share, 'SET LOCAL lock_timeout = 1000')))) {
          throw new NoLocks('a row stayed locked after its transaction');
        }
      }),
    );
  } finally {
    await database.query(`DELETE FROM ${table} WHERE key = decode($1, 'hex')`, [hash]).catch(() => {});
  }
}

async function isGiven(connection: Connection, statements: string): Promise<boolean> {
  try {
    await connection.query(statements);
    return true;
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  } finally {
    if (!connection.isLost) await connection.query('ROLLBACK');
  }
}
