/**
 * Creates the tables and migrates older ones. One replica does it while the others wait.
 *
 * A schema states the oldest program version that can read and write it, so that replicas of two versions can run at
 * the same time as long as both can use the schema.
 */
import { type Connection, sqlState, UNIQUE_VIOLATION } from './connections/connection.ts';
import { traceByDays } from './log/trace-days.ts';

/** The schema version that this program creates and understands. */
export const SCHEMA_VERSION = 4;

/** A newer program created the tables. */
class NewerSchema extends Error {}

/** Each migration makes one version from the previous one, and states the oldest version that can read and write it. */
const MIGRATIONS: readonly {
  readableFrom: number;
  writableFrom: number;
  migrate(connection: Connection, schema: string): Promise<unknown>;
}[] = [
  { readableFrom: 1, writableFrom: 1, migrate: running(firstTables) },
  { readableFrom: 1, writableFrom: 1, migrate: running(sessionTables) },
  { readableFrom: 1, writableFrom: 1, migrate: running(lastChanges) },
  { readableFrom: 1, writableFrom: 1, migrate: traceByDays },
];

const MIGRATE_MS = 60_000;
const MOST_TRIES = 10;
/** When two replicas create the same schema or table at once, the later one gets one of these errors. */
const MADE_BY_ANOTHER = [UNIQUE_VIOLATION, '42P06', '42P07', '42710'];
const MISSING = ['3F000', '42P01'];

export async function ensureSchema(connection: Connection, schema: string): Promise<void> {
  const found = await versionOf(connection, schema);
  if (found !== undefined) requireKnown(found);
  if (found !== undefined && found.version >= SCHEMA_VERSION) return;
  await makeVersionTable(connection, schema);
  await connection.query(`BEGIN; LOCK TABLE ${schema}.schema_version IN ACCESS EXCLUSIVE MODE`, undefined, {
    ms: MIGRATE_MS,
  });
  try {
    // Another replica may have migrated while this one waited.
    const now = await versionOf(connection, schema);
    if (now !== undefined) requireKnown(now);
    for (let version = now?.version ?? 0; version < SCHEMA_VERSION; version++) {
      const { migrate, readableFrom, writableFrom } = MIGRATIONS[version]!;
      await migrate(connection, schema);
      await connection.query(
        `DELETE FROM ${schema}.schema_version; INSERT INTO ${schema}.schema_version VALUES (${version + 1}, ${readableFrom}, ${writableFrom})`,
      );
    }
    await connection.query('COMMIT');
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK');
    throw error;
  }
}

function running(sql: (schema: string) => string): (typeof MIGRATIONS)[number]['migrate'] {
  return (connection, schema) => connection.query(sql(schema), undefined, { ms: MIGRATE_MS });
}

interface Version {
  version: number;
  readableFrom: number;
  writableFrom: number;
}

async function versionOf(connection: Connection, schema: string): Promise<Version | undefined> {
  try {
    const [row] = await connection.query(
      `SELECT version, readable_from, writable_from FROM ${schema}.schema_version`,
    );
    return (
      row && {
        version: Number(row.version),
        readableFrom: Number(row.readable_from),
        writableFrom: Number(row.writable_from),
      }
    );
  } catch (error) {
    if (MISSING.includes(sqlState(error) ?? '')) return undefined;
    throw error;
  }
}

function requireKnown({ readableFrom, writableFrom }: Version): void {
  const needed = Math.max(readableFrom, writableFrom);
  if (needed <= SCHEMA_VERSION) return;
  throw new NewerSchema(
    `the database was made by a newer Cofferdam: its tables have version ${needed}, and this program knows version ${SCHEMA_VERSION}; update this program`,
  );
}

/** When two servers create the same schema at once, one of them fails: it tries again. */
async function makeVersionTable(connection: Connection, schema: string): Promise<void> {
  for (let tries = 1; !(await madeVersionTable(connection, schema, tries === MOST_TRIES)); tries++);
}

async function madeVersionTable(connection: Connection, schema: string, isLast: boolean): Promise<boolean> {
  try {
    const [row] = await connection.query(`SELECT to_regnamespace('${schema}') IS NOT NULL AS there`);
    // Without the right to create schemas, the administrator creates this one beforehand.
    if (row?.there !== true) await connection.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await connection.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.schema_version (version int NOT NULL, readable_from int NOT NULL, writable_from int NOT NULL)`,
    );
    return true;
  } catch (error) {
    if (isLast || !MADE_BY_ANOTHER.includes(sqlState(error) ?? '')) throw error;
    return false;
  }
}

/** Adds what the last change of each path left, and which changes are planned. */
function lastChanges(schema: string): string {
  return `
ALTER TABLE ${schema}.locks ADD COLUMN part text, ADD COLUMN hash bytea,
  ADD COLUMN replaced text[] NOT NULL DEFAULT '{}', ADD COLUMN at timestamptz;
CREATE TABLE ${schema}.planned_changes (
  key bytea NOT NULL, part text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (key, part)
);
CREATE INDEX planned_changes_part ON ${schema}.planned_changes (part);`;
}

function firstTables(schema: string): string {
  return `
CREATE TABLE ${schema}.logs (
  log text PRIMARY KEY, generation bigint NOT NULL DEFAULT 0, last bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO ${schema}.logs (log) VALUES ('journal'), ('trace');
CREATE TABLE ${schema}.records (
  log text NOT NULL, seq bigint NOT NULL, writer uuid NOT NULL, n bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(), body text NOT NULL,
  PRIMARY KEY (log, seq), UNIQUE (writer, n)
);
CREATE SEQUENCE ${schema}.content_ids;
CREATE TABLE ${schema}.contents (
  hash bytea PRIMARY KEY, id bigint NOT NULL, size bigint NOT NULL, stored bigint NOT NULL,
  touched timestamptz NOT NULL DEFAULT clock_timestamp(), retired timestamptz, erasing boolean NOT NULL DEFAULT false
);
CREATE TABLE ${schema}.content_chunks (
  id bigint NOT NULL, n int NOT NULL, deflated boolean NOT NULL, data bytea NOT NULL, PRIMARY KEY (id, n)
);
ALTER TABLE ${schema}.content_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE ${schema}.uploads (
  id bigint PRIMARY KEY, started timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE ${schema}.usage (slot int PRIMARY KEY, bytes bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10);
INSERT INTO ${schema}.usage (slot) SELECT generate_series(0, 15);
CREATE TABLE ${schema}.locks (key bytea PRIMARY KEY) WITH (fillfactor = 50);
CREATE TABLE ${schema}.notes (
  name text PRIMARY KEY, text text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE ${schema}.workspaces (
  name text PRIMARY KEY, identity text NOT NULL UNIQUE, at timestamptz NOT NULL DEFAULT clock_timestamp()
);`;
}

function sessionTables(schema: string): string {
  return `
CREATE TABLE ${schema}.sessions (
  id text PRIMARY KEY, owner text NOT NULL, opening text NOT NULL, facts text NOT NULL, revision bigint NOT NULL DEFAULT 0,
  idle_ms bigint NOT NULL, used timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 80);
CREATE TABLE ${schema}.session_messages (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text NOT NULL, sender uuid NOT NULL, body text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE ${schema}.secrets (
  n int PRIMARY KEY, key bytea NOT NULL, made timestamptz NOT NULL DEFAULT clock_timestamp()
);`;
}
