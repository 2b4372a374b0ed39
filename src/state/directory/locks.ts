/**
 * Locks between the processes of one machine.
 *
 * Inside this process each key has a queue. Between processes the lock is an abstract socket (Linux) or a named pipe
 * (Windows) whose name is derived from the key: the system gives it to one process at a time and takes it back when
 * that process dies. Where neither exists, only this process is kept in order.
 */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { type Locks, LockTimeout } from '../locks.ts';

const WAIT_MS = 30_000;
const RETRY_MS = [1, 2, 4, 8, 16];

/** The last task of each key: all who lock in this process wait in the same queues. */
const queues = new Map<string, Promise<unknown>>();

export const machineLocks: Locks = {
  hold(keys, task, signal) {
    let run = task;
    for (const key of [...new Set(keys)].sort().reverse()) {
      const inner = run;
      run = () => queued(key, () => locked(key, signal, inner));
    }
    return run();
  },

  async tryHold(key, task) {
    if (queues.has(key)) return false;
    return queued(key, async () => {
      const lock = await listen(key);
      if (lock === 'taken') return false;
      try {
        await task();
        return true;
      } finally {
        if (lock !== 'unsupported') lock.close();
      }
    });
  },
};

async function queued<T>(key: string, task: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(task, task);
  const settled = mine.then(
    () => {},
    () => {},
  );
  queues.set(key, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

async function locked<T>(key: string, signal: AbortSignal | undefined, task: () => Promise<T>): Promise<T> {
  const lock = await acquire(key, signal);
  try {
    return await task();
  } finally {
    lock?.close();
  }
}

async function acquire(key: string, signal: AbortSignal | undefined): Promise<Server | undefined> {
  const deadline = Date.now() + WAIT_MS;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    const got = await listen(key);
    if (got === 'unsupported') return undefined;
    if (got !== 'taken') return got;
    if (Date.now() > deadline) throw new LockTimeout();
    const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!;
    await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * wait));
  }
}

function socketName(key: string): string | undefined {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 40);
  if (process.platform === 'linux') return `\0cofferdam-${process.getuid?.() ?? 0}-${hash}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\cofferdam-${hash}`;
  return undefined;
}

function listen(key: string): Promise<Server | 'taken' | 'unsupported'> {
  const path = socketName(key);
  if (path === undefined) return Promise.resolve('unsupported');
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'unsupported'),
    );
    server.listen({ path }, () => resolve(server));
  });
}
