/** Starts a haproxy that sends each request to the next replica, in whichever network namespace that replica is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { type Answer, callTool } from './replica.ts';

const PROGRAM = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));

export const hasHaproxy = PROGRAM !== undefined;
export const NO_HAPROXY = 'haproxy is not installed (Debian: haproxy)';

export interface Behind {
  port: number;
  /** The network namespace that the port is in. */
  namespace?: string | undefined;
}

export class Haproxy {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #remove: () => void;

  private constructor(child: ChildProcess, port: number, remove: () => void) {
    this.#child = child;
    this.port = port;
    this.#remove = remove;
  }

  static async before(servers: readonly Behind[]): Promise<Haproxy> {
    const { path, remove } = temporaryDirectory();
    const port = await freePort();
    const settings = join(path, 'haproxy.cfg');
    writeFileSync(settings, settingsOf(port, servers));
    const child = spawn(PROGRAM!, ['-db', '-f', settings], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const url = `http://127.0.0.1:${port}/healthz`;
    const isUp = () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(async () => child.exitCode !== null || (await isUp()));
    if (child.exitCode !== null) throw new Error(`haproxy did not start: ${said}`);
    return new Haproxy(child, port, remove);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  call(name: string, args: unknown): Promise<Answer> {
    return callTool(this.port, this.#agent, name, args);
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGKILL');
    await ended;
    this.#agent.destroy();
    this.#remove();
  }
}

/** The settings of the example file, with other addresses. */
function settingsOf(port: number, servers: readonly Behind[]): string {
  const lines = servers.map(
    ({ port: behind, namespace }, n) =>
      `  server replica${n} 127.0.0.1:${behind}${namespace === undefined ? '' : ` namespace ${namespace}`} check inter 100ms`,
  );
  const example = readFileSync('deploy/haproxy.cfg', 'utf8')
    .replace(/^resolvers .*\n(?: .*\n)*/m, '')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^ +server-template .*$/m, lines.join('\n'));
  return `${example}  http-response set-header X-Replica %s\n`;
}
