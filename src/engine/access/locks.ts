/**
 * One change of a file at a time: a queue per file inside this process, and a lock between processes.
 *
 * The lock between servers is an abstract socket (Linux) or a named pipe (Windows) whose name is derived
 * from the file's directory and name: the system gives it to one process at a time and takes it back when
 * that process dies, so that no stale lock can exist. Programs that know nothing of it are caught by the
 * comparison before the rename (see atomic.ts).
 */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';

const WAIT_MS = 30_000;
const RETRY_MS = [1, 2, 4, 8, 16];

const queues = new Map<string, Promise<unknown>>();

/** Runs `change` when it is this file's turn. Several places are taken in one order, so that none can wait in a circle. */
export async function inTurn<T>(
  places: readonly Place[],
  signal: AbortSignal | undefined,
  change: () => Promise<T>,
): Promise<T> {
  const keys = [...new Set(places.map(keyOf))].sort();
  let run = change;
  for (const key of keys.reverse()) {
    const inner = run;
    run = () => queued(key, () => locked(key, places[0]!.shown, signal, inner));
  }
  return run();
}

/** A file is known by its directory and name: every atomic write gives it a new inode. */
function keyOf(place: Place): string {
  return `${place.dir.identity}/${place.name}`;
}

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

/** Runs `task` unless another process is at it already. */
export async function ifNobodyElse(key: string, task: () => Promise<void>): Promise<void> {
  const name = socketName(key);
  const lock = name === undefined ? 'unsupported' : await listen(name);
  if (lock === 'taken') return;
  try {
    await task();
  } finally {
    if (lock !== 'unsupported') lock.close();
  }
}

/** Runs `task` when no other is at it any more, in this process or another. */
export function whenNobodyElse<T>(key: string, shown: string, task: () => Promise<T>): Promise<T> {
  return queued(key, () => locked(key, shown, undefined, task));
}

async function locked<T>(
  key: string,
  shown: string,
  signal: AbortSignal | undefined,
  task: () => Promise<T>,
): Promise<T> {
  const lock = await acquire(key, shown, signal);
  try {
    return await task();
  } finally {
    lock?.close();
  }
}

async function acquire(
  key: string,
  shown: string,
  signal: AbortSignal | undefined,
): Promise<Server | undefined> {
  const name = socketName(key);
  if (name === undefined) return undefined;
  const deadline = Date.now() + WAIT_MS;
  for (let attempt = 0; ; attempt++) {
    if (signal?.aborted) fail({ kind: 'cancelled' });
    const got = await listen(name);
    if (got === 'unsupported') return undefined;
    if (got !== 'taken') return got;
    if (Date.now() > deadline) fail({ kind: 'busy', path: shown });
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

function listen(path: string): Promise<Server | 'taken' | 'unsupported'> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'unsupported'),
    );
    server.listen({ path }, () => resolve(server));
  });
}
