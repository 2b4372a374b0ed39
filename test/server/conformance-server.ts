/**
 * The product's HTTP server, as it is or with the conformance fixture behind it, and a proxy in front that adds the
 * token, because the suite cannot send one.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { replay } from '../../src/dialects/replay/index.ts';
import { Engine } from '../../src/engine/index.ts';
import { openHttpServer } from '../../src/server/http-server.ts';
import { fullGrant, newToken } from '../../src/server/web/tokens/tokens.ts';
import { changes, createFixture } from './conformance-fixture.ts';

export async function startConformanceServer(
  which: 'fixture' | 'product',
  root: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const token = newToken();
  const engine = new Engine({ roots: [{ path: root, writable: false }] });
  const app = { version: '0', engine, dialects: [replay], home: root, settings: {}, log: () => {} };
  const serving = await openHttpServer(app, {
    host: '127.0.0.1',
    port: 0,
    grants: [fullGrant(token)],
    readOnlyEngine: () => engine,
    ...(which === 'fixture' && { createServer: createFixture, bus: changes }),
  });
  const door = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request({
      ...{ host: '127.0.0.1', port: serving.port, method, path, setHost: false },
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`,
    async stop() {
      door.closeAllConnections();
      door.close();
      await serving.stop();
      await engine.close();
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const [, , which, root = import.meta.dirname] = process.argv;
  const { url, stop } = await startConformanceServer(which === 'product' ? which : 'fixture', root);
  process.stdout.write(`${url}\n`);
  process.stdin.resume().once('end', () => void stop());
}
