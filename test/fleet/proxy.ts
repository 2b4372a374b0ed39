/** Starts and controls a proxy to the database whose connections can be cut. */
import { type ChildProcess, spawn } from 'node:child_process';
import { bundle } from '../built.ts';

export class CuttableProxy {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(behind: number): Promise<CuttableProxy> {
    const file = await bundle('test/fleet/proxy-program.ts', 'fleet-proxy.cjs');
    const child = spawn(process.execPath, [file, String(behind)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = await new Promise<number>((resolve) => {
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(Number(text)));
    });
    return new CuttableProxy(child, port);
  }

  /** Stops all traffic without closing a connection, as if packets were dropped. */
  cut(): void {
    this.#child.kill('SIGSTOP');
  }

  mend(): void {
    this.#child.kill('SIGCONT');
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
