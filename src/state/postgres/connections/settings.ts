/** Reads the address of the database. Nothing here, and no error, ever repeats it: it holds a password. */
import type { ClientConfig } from 'pg';

/** The address does not say which database is meant, in words without the address. */
class BadAddress extends Error {}

export interface DatabaseSettings {
  client: ClientConfig;
  /** All tables lie in it. */
  schema: string;
  /** Changes of this process that may hold locks at a time; each takes a connection for as long as it lasts. */
  lockConnections: number;
  /** Connections for everything else. */
  otherConnections: number;
  /** Where it is, without a user and a password: for the operator. */
  says: string;
}

const USUAL_LOCKS = 4;
const USUAL_OTHERS = 4;
const SCHEMA = /^[a-z_][a-z0-9_]{0,40}$/;
const CONNECT_MS = 5000;

export function isDatabaseAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

/**
 * Besides what PostgreSQL itself knows (`host`, `sslmode`, `sslrootcert`, …), the address may say `schema`, `locks` and
 * `connections`.
 */
export function parseAddress(text: string): DatabaseSettings {
  const url = parsed(text);
  const schema = taken(url, 'schema') ?? 'cofferdam';
  if (!SCHEMA.test(schema))
    throw new BadAddress('schema is a name of lower-case letters, digits and underscores');
  const lockConnections = countOf(url, 'locks') ?? USUAL_LOCKS;
  const otherConnections = countOf(url, 'connections') ?? USUAL_OTHERS;
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
    // The platform's own message repeats what was given.
    throw new BadAddress('it is no address like postgres://user:password@host:5432/database');
  }
}

/** Ours, so the client library must not see it. */
function taken(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

function countOf(url: URL, name: string): number | undefined {
  const text = taken(url, name);
  if (text === undefined) return undefined;
  // The check at the start takes two connections for locks at a time.
  if (!/^([2-9]|[1-9]\d{1,2})$/.test(text)) throw new BadAddress(`${name} is a number from 2 to 999`);
  return Number(text);
}
