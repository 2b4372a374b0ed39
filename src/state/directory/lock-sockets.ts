/** Socket names, which the system gives to one process at a time and takes back when that process dies. */
import { createHash } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { LockTimeout } from '../locks.ts';
import { lockSecret } from './lock-secret.ts';

const WAIT_MS = 30_000;
const RETRY_MS = [1, 2, 4, 8, 16];
/** Without a free descriptor it is unknown whether a lock is free: it counts as taken until there is one. */
const TAKEN = new Set(['EADDRINUSE', 'EMFILE', 'ENFILE']);

export type LockSocket = Server;

/** Undefined on systems without such sockets. */
export function socketName(key: string): string | undefined {
  const hash = hashOfKey(key);
  if (process.platform === 'linux') return `\0cofferdam-${process.getuid?.() ?? 0}-${hash}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\cofferdam-${hash}`;
  return undefined;
}

export function hashOfKey(key: string): string {
  return createHash('sha256').update(lockSecret()).update(key).digest('hex').slice(0, 40);
}

export function listen(
  path: string | undefined,
  onClient: (client: Socket) => void = (client) => client.destroy(),
): Promise<LockSocket | undefined | 'taken'> {
  if (path === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const server = createServer(onClient);
    server.unref();
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(TAKEN.has(code ?? '') ? 'taken' : undefined),
    );
    server.listen({ path }, () => resolve(server));
  });
}

/** Retries until the result is not 'taken'. */
export async function untilFree<T>(
  take: () => Promise<T | 'taken'>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    const got = await take();
    if (got !== 'taken') return got as T;
    if (Date.now() > deadline) throw new LockTimeout();
    const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!;
    await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * wait));
  }
}
