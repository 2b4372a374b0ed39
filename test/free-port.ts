/** Finds a free port for a program that has to be told which one to use. */
import { createServer } from 'node:net';

/**
 * Below the ports that systems assign automatically, so that no other program gets this port before its program takes
 * it, or while that program restarts. Each worker of a test run has a range of its own.
 */
const FIRST = 16_000;
const PER_WORKER = 2000;
const WORKERS = 8;

export async function freePort(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
  for (;;) {
    const port = FIRST + worker * PER_WORKER + Math.floor(Math.random() * PER_WORKER);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
