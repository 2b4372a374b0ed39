/** Reads the address of the database. No error repeats the address, because it contains a password. */
import type { ClientConfig } from 'pg';

/** Says what is wrong with an address without repeating it. */
class BadAddress extends Error {}

export interface DatabaseSettings {
  client: ClientConfig;
  /** The PostgreSQL schema that holds all tables. */
  schema: string;
  /** How many changes of this process may hold locks at a time; each takes a connection for as long as it lasts. */
  lockConnections: number;
  /** Connections for everything else. */
  otherConnections: number;
  /** Where the database is, for the operator; without user and password. */
  says: string;
}

const DEFAULT_LOCKS = 4;
const DEFAULT_OTHERS = 4;
const SCHEMA = /^[a-z_][a-z0-9_]{0,40}$/;
const CONNECT_MS = 5000;

export function isDatabaseAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

/**
 * In addition to PostgreSQL's own parameters (`host`, `sslmode`, `sslrootcert`, …), the address may have `schema`,
 * `locks` and `connections`.
 */
export function parseAddress(text: string): DatabaseSettings {
  const url = parsed(text);
  const schema = taken(url, 'schema') ?? 'cofferdam';
  if (!SCHEMA.test(schema))
    throw new BadAddress('schema must be a name of lower-case letters, digits and underscores');
  const lockConnections = countOf(url, 'locks') ?? DEFAULT_LOCKS;
  const otherConnections = countOf(url, 'connections') ?? DEFAULT_OTHERS;
  const socket = url.searchParams.get('host');
  const where = socket ?? `${url.hostname || 'localhost'}:${url.port || '5432'}`;
  const database = decodeURIComponent(url.pathname.slice(1));
  return {
    client: {
      connectionString: url.href,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'cofferdam',
      keepAlive: true,
    },
    schema,
    lockConnections,
    otherConnections,
    says: `PostgreSQL at ${where}, database ${database || 'of the user'}, schema ${schema}`,
  };
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The platform's own message would repeat the address.
    throw new BadAddress('it is not an address like postgres://user:password@host:5432/database');
  }
}

/** Removes a parameter that only this program knows: the client library must not see it. */
function taken(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

function countOf(url: URL, name: string): number | undefined {
  const text = taken(url, name);
  if (text === undefined) return undefined;
  // The check at start-up needs two connections for locks at the same time.
  if (!/^([2-9]|[1-9]\d{1,2})$/.test(text)) throw new BadAddress(`${name} must be a number from 2 to 999`);
  return Number(text);
}
