/**
 * Locks: one holder at a time for each key, in this process and in all others that share the state.
 *
 * Every implementation guarantees:
 * - **Exclusion.** Of all tasks that hold a key, in any process, one runs at a time.
 * - **No circle.** Whoever holds several keys took them in one fixed order, the same everywhere, whatever the order in
 *   which they were named: two tasks never wait for each other. A task must not lock again what it holds, and a lock
 *   that it takes while it holds others must come later in the order.
 * - **No stale lock.** The lock of a process that died is free again, without anybody's help.
 * - **Order.** Tasks of one process get a key in the order in which they asked for it.
 *
 * A lock keeps apart those who use it. Programs that know nothing of it are not held off.
 */
export interface Locks {
  /**
   * Runs `task` while it holds the locks of all keys. Throws a `LockTimeout` when another process does not let go, and
   * the signal's reason when the signal aborts while it waits.
   */
  hold<T>(keys: readonly string[], task: () => Promise<T>, signal?: AbortSignal): Promise<T>;

  /** Runs `task` unless somebody holds the key now; false when somebody does. */
  tryHold(key: string, task: () => Promise<void>): Promise<boolean>;
}

/** Another process has held a lock for too long. */
export class LockTimeout extends Error {
  constructor() {
    super('another process holds the lock');
  }
}
