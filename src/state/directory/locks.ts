/**
 * Locks between the processes of one machine.
 *
 * Inside this process each key has a queue. Between processes the lock is an abstract socket (Linux) or a named pipe
 * (Windows) whose name is derived from the key: the system gives it to one process at a time and takes it back when
 * that process dies. On systems with neither, only the tasks of one process are kept apart. A change that needs many
 * keys at once uses a bulk lock (bulk-lock.ts), because each socket costs a descriptor.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LockQueues, type Release, releaseAll } from '../lock-queues.ts';
import type { LockKey, Locks } from '../locks.ts';
import { BULK, BulkLock, isInBulk } from './bulk-lock.ts';
import { type LockSocket, listen, socketName, untilFree } from './lock-sockets.ts';

/** A task with more keys than this takes the bulk lock instead of a socket for each key. */
const MOST_SOCKETS = 16;
const TURN_MS = 10;

/** Shared by everything that locks in this process. */
const queues = new LockQueues();

export const machineLocks: Locks = {
  async hold(keys, task, signal) {
    const sorted = [...new Set(keys.map(nameOf))].sort();
    const release = await (sorted.length > MOST_SOCKETS
      ? holdBulk(sorted, signal)
      : holdEach(sorted, signal));
    try {
      return await task(undefined);
    } finally {
      release();
    }
  },

  async tryHold(wanted, task) {
    const key = nameOf(wanted);
    if (queues.has(key)) return false;
    const leave = await queues.enter(key);
    try {
      const lock = await tryLock(key);
      if (lock === 'taken') return false;
      try {
        await task();
        return true;
      } finally {
        lock?.close();
      }
    } finally {
      leave();
    }
  },
};

function nameOf(key: LockKey): string {
  return typeof key === 'string' ? key : key.onMachine;
}

async function holdEach(keys: readonly string[], signal: AbortSignal | undefined): Promise<Release> {
  const held: Release[] = [];
  const release = releaseAll(held);
  try {
    for (const key of keys) {
      held.push(await queues.enter(key));
      const lock = await untilFree(() => tryLock(key), signal);
      if (lock) held.push(() => lock.close());
    }
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

/** The bulk lock precedes all keys in the order of locks, so a process that waits for it holds none of them. */
async function holdBulk(keys: readonly string[], signal: AbortSignal | undefined): Promise<Release> {
  const held: Release[] = [await queues.enter(BULK)];
  const release = releaseAll(held);
  try {
    const bulk = await untilFree(() => BulkLock.take(), signal);
    if (bulk) held.push(() => bulk.close());
    let began = performance.now();
    for (const key of keys) {
      held.push(await queues.enter(key));
      // Taking the key's own socket for a moment proves that nobody else holds the key, and nobody can take it later.
      const lock = await untilFree(() => tryLock(key, bulk), signal);
      if (lock) {
        bulk?.add(key);
        lock.close();
      }
      if (performance.now() - began < TURN_MS) continue;
      await nextTurn();
      began = performance.now();
    }
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

/** Undefined on systems without such sockets. `own` is the bulk lock that asks, if one does. */
async function tryLock(key: string, own?: BulkLock): Promise<LockSocket | undefined | 'taken'> {
  const lock = await listen(socketName(key));
  if (lock === 'taken' || lock === undefined || own) return lock;
  if (!(await isInBulk(key))) return lock;
  lock.close();
  return 'taken';
}
