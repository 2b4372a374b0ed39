/** A PostgreSQL server for one test file: in a temporary directory, on loopback, as a user other than root. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../../../src/state/postgres/connections/connection.ts';
import { built } from '../../built.ts';
import { freePort } from '../../free-port.ts';
import { memoryDirectory } from '../../tree.ts';

export { freePort };

const INSTALLED = '/usr/lib/postgresql';

/** The directory with the programs of the newest installed server; undefined when none is installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const newest = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'));
  return newest.find((bin) => existsSync(join(bin, 'initdb')));
}

export const NO_POSTGRES = 'PostgreSQL is not installed (Debian: postgresql)';

export interface Cluster {
  readonly port: number;
  /** The directory of its socket, which can be reached from every network namespace. */
  readonly socket: string;
  /** The address of one schema; without an argument, of the default schema. */
  address(schema?: string): string;
  /** Runs a statement as the owner. */
  run(sql: string): Promise<Record<string, unknown>[]>;
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error(NO_POSTGRES);
  const { path, remove } = memoryDirectory();
  const as = otherUser();
  if (as) chownSync(path, as.uid, as.gid);
  const data = join(path, 'data');
  // All clusters of a test run begin as copies of one, because creating one takes seconds.
  const fresh = await built('postgres-data', (at) => makeData(bin, at, as));
  execFileSync('cp', ['-a', fresh, data]);
  const port = await freePort();
  // The data of a test need not survive a power cut.
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '100',
    shared_buffers: '32MB',
    listen_addresses: '127.0.0.1',
    // The log must say when the server is up, but not repeat the errors that tests provoke.
    log_min_messages: 'log',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const address = (schema?: string) =>
    `postgres://cofferdam@127.0.0.1:${port}/postgres${schema === undefined ? '' : `?schema=${schema}`}`;
  let server: ChildProcess | undefined;
  /** The connection of `run`: one for each statement would cost more than the statements. */
  let own: Promise<Connection> | undefined;
  const hangUp = async () => {
    const opened = own;
    own = undefined;
    (await opened?.catch(() => undefined))?.close();
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast') => {
    const ending = server;
    if (!ending) return;
    server = undefined;
    await hangUp();
    const ended = new Promise((resolve) => ending.once('close', resolve));
    ending.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  const run = async (sql: string) => {
    own ??= Connection.open({ connectionString: address() });
    const using = own;
    try {
      return await (await using).query(sql);
    } catch (error) {
      // The connection may be lost, or still be in a transaction.
      if (own === using) await hangUp();
      throw error;
    }
  };
  const start = async () => {
    const starting = spawn(join(bin, 'postgres'), ['-D', data, '-k', path, '-p', String(port), ...options], {
      ...{ cwd: path, stdio: ['ignore', 'ignore', 'pipe'], ...as },
    });
    server = starting;
    await isUp(starting);
  };
  process.once('exit', () => server?.kill('SIGQUIT'));
  await start();
  return {
    port,
    socket: path,
    address,
    run,
    stop,
    start,
    remove: async () => {
      await stop('immediate');
      remove();
    },
  };
}

/** Settles when the server accepts connections. */
function isUp(server: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('close', () => reject(new Error(`PostgreSQL ended: ${said}`)));
    server.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('ready to accept connections')) resolve();
    });
  });
}

function makeData(bin: string, at: string, as: User | undefined): void {
  mkdirSync(at, { mode: 0o700 });
  if (as) chownSync(at, as.uid, as.gid);
  const initialize = ['-D', at, '-A', 'trust', '-U', 'cofferdam', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(join(bin, 'initdb'), initialize, { cwd: at, stdio: 'ignore', ...as });
}

interface User {
  uid: number;
  gid: number;
}

/** A user to run PostgreSQL as, because it refuses to run as root. */
export function otherUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].flatMap((name) => users.filter(([each]) => each === name))[0];
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) };
}
