/**
 * Binds the name of a workspace to one directory, so that all replicas mean the same directory by it.
 *
 * Devices, inodes and mount points differ from machine to machine, so the directory identifies itself: a small file in
 * it holds a random identity, and a row of the database binds the name to that identity. The first replica that serves
 * the directory creates the file in one step.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlState, UNIQUE_VIOLATION } from './connections/connection.ts';
import type { Database } from './connections/database.ts';
import type { Workspace } from './shared-paths.ts';

const MARKER = '.cofferdam-workspace';
/** Tells the operator that a name and a directory do not belong together. */
class WrongWorkspace extends Error {}

export interface BindOptions {
  /** False when nothing may be written: then a directory without the file is accepted. */
  mayMark: boolean;
}

export async function bindWorkspace(
  database: Database,
  { name, real }: Workspace,
  { mayMark }: BindOptions,
): Promise<void> {
  const bound = await identityBoundTo(database, name);
  const found = markerIn(real);
  if (found === undefined && bound === undefined && !mayMark) return;
  if (found === undefined && bound !== undefined) {
    throw new WrongWorkspace(
      `${real} is not the directory that the fleet calls ${name}: it has no file ${MARKER}, and the one that was first served under this name has; give another name, or put that file back`,
    );
  }
  const identity = found ?? mark(real);
  if (bound === undefined) await bind(database, name, identity, real);
  const now = await identityBoundTo(database, name);
  if (now !== undefined && now !== identity) {
    throw new WrongWorkspace(
      `${real} is not the directory that the fleet calls ${name}: its file ${MARKER} names another one; give another name`,
    );
  }
}

async function identityBoundTo(database: Database, name: string): Promise<string | undefined> {
  const [row] = await database.query(`SELECT identity FROM ${database.table('workspaces')} WHERE name = $1`, [
    name,
  ]);
  return row && String(row.identity);
}

/** Refuses a second name for a directory: replicas that use different names would not lock each other out. */
async function bind(database: Database, name: string, identity: string, real: string): Promise<void> {
  try {
    await database.query(
      `INSERT INTO ${database.table('workspaces')} (name, identity) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
      [name, identity],
    );
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    const [row] = await database.query(
      `SELECT name FROM ${database.table('workspaces')} WHERE identity = $1`,
      [identity],
    );
    // When two replicas bind the same name at the same moment, PostgreSQL may report the identity as the conflict.
    if (row?.name === name) return;
    throw new WrongWorkspace(`the fleet calls ${real} ${row?.name}, not ${name}: one directory has one name`);
  }
}

function markerIn(directory: string): string | undefined {
  try {
    const text = readFileSync(join(directory, MARKER), 'utf8').trim();
    return /^[0-9a-f-]{36}$/.test(text) ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Another replica may do the same at the same moment: the first file counts. */
function mark(directory: string): string {
  const draft = join(directory, `${MARKER}-${randomUUID()}`);
  try {
    writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o644, flush: true });
    linkSync(draft, join(directory, MARKER));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      throw new WrongWorkspace(
        `${directory}: ${MARKER} cannot be written (${code}), and a fleet knows a directory by it`,
      );
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const identity = markerIn(directory);
  if (identity === undefined) throw new WrongWorkspace(`${directory}: ${MARKER} holds no identity`);
  return identity;
}
