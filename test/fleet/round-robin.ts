/** A load balancer without affinity: each request goes to the next replica. */
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class RoundRobin {
  readonly #server: Server;
  #next = 0;
  /** The ports that requests went to. */
  readonly used: number[] = [];

  private constructor(ports: readonly number[]) {
    this.#server = createServer((incoming, answer) => {
      const port = ports[this.#next++ % ports.length]!;
      this.used.push(port);
      const { method, url, headers } = incoming;
      const asking = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
        answer.writeHead(response.statusCode!, response.headers as IncomingHttpHeaders);
        answer.flushHeaders();
        response.pipe(answer);
      });
      asking.on('error', () => answer.destroy());
      answer.on('close', () => asking.destroy());
      incoming.pipe(asking);
    });
  }

  static async before(ports: readonly number[]): Promise<RoundRobin> {
    const balancer = new RoundRobin(ports);
    await new Promise<void>((resolve) => balancer.#server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
