/** Starts a PgBouncer in front of a test's database, in transaction mode and with its default pool of 20. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../../src/state/postgres/connections/connection.ts';
import { freePort, otherUser } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

export const hasBouncer = PROGRAM !== undefined;
export const NO_BOUNCER = 'PgBouncer is not installed (Debian: pgbouncer)';

export class Bouncer {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #remove: () => void;

  private constructor(child: ChildProcess, port: number, remove: () => void) {
    this.#child = child;
    this.port = port;
    this.#remove = remove;
  }

  static async start(behind: number): Promise<Bouncer> {
    const { path, remove } = temporaryDirectory();
    const as = otherUser();
    if (as) chownSync(path, as.uid, as.gid);
    const port = await freePort();
    const settings = join(path, 'pgbouncer.ini');
    writeFileSync(join(path, 'users'), '"cofferdam" ""\n', { mode: 0o644 });
    writeFileSync(settings, settingsOf(behind, port, path), { mode: 0o644 });
    const child = spawn(PROGRAM!, [settings], { cwd: path, stdio: 'ignore', ...as });
    const bouncer = new Bouncer(child, port, remove);
    const client = { connectionString: `postgres://cofferdam@127.0.0.1:${port}/postgres` };
    let isUp = false;
    const asking = async () => {
      while (!isUp && child.exitCode === null) {
        isUp = await Connection.open(client).then(
          (connection) => {
            connection.close();
            return true;
          },
          () => new Promise<boolean>((resolve) => setTimeout(resolve, 20, false)),
        );
      }
    };
    void asking();
    await until(() => isUp || child.exitCode !== null);
    if (!isUp) throw new Error('PgBouncer did not start');
    return bouncer;
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGKILL');
    await ended;
    this.#remove();
  }
}

function settingsOf(behind: number, port: number, directory: string): string {
  return `[databases]
* = host=127.0.0.1 port=${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, 'users')}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
`;
}
