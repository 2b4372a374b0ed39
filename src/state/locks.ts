/**
 * Locks: each key has one holder at a time, among all processes that share the state.
 *
 * Every implementation guarantees:
 * - **Exclusion.** Of all tasks that lock a key, in any process, one runs at a time.
 * - **No deadlock.** A task that needs several keys takes them in one fixed order, the same everywhere, whatever the
 *   order of the arguments: two tasks never wait for each other. A task must not lock again what it holds, and a lock
 *   that it takes while it holds others must come later in the order.
 * - **No stale lock.** The lock of a process that died becomes free by itself.
 * - **Order.** Tasks of one process get a key in the order in which they asked for it.
 *
 * The locks are advisory: programs that do not use them are not held off.
 */
export interface Locks {
  /**
   * Runs `task` while holding the locks of all keys. Throws a `LockTimeout` when another process does not release one,
   * a `StateUnavailable` when the locks cannot be reached, and the signal's reason when the signal aborts the wait.
   */
  hold<T>(
    keys: readonly LockKey[],
    task: (lease: Lease | undefined) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;

  /** Runs `task` unless the key is locked now; returns false when it is. */
  tryHold(key: LockKey, task: () => Promise<void>): Promise<boolean>;
}

/** What is locked: something that has a name in the state, or an entry of a served directory. */
export type LockKey = string | EntryKey;

/**
 * An entry has two identities. On one machine it is the directory's device and inode plus the name, whatever path leads
 * there. Other machines do not share devices and inodes: for them it is the path, and a server that changes the entry
 * must also be sure that no other server removes or moves a directory above it.
 */
export interface EntryKey {
  readonly onMachine: string;
  /** Absolute, with all links resolved. */
  readonly path: string;
}

/**
 * A lock that its holder may lose without noticing: another machine manages it, and frees it when it no longer hears
 * from the holder. Locks of one machine have no lease.
 */
export interface Lease {
  /** Settles when the lock is known to be still held; throws a `StateUnavailable` when it is lost or may be lost. */
  prove(): Promise<void>;
  /** Throws when the last proof is too old to rely on for a change. */
  requireFresh(): void;
  /** What the last holder of an entry's lock left there, as far as it is recorded. */
  lastOf(path: string): LastChange | undefined;
  /** Changes of the locked entries that are recorded as planned but not as ended. */
  readonly unsettled: readonly UnsettledChange[];
  /** Records what this holder leaves at an entry, for the next holder of the lock. */
  leaves(path: string, change: LeftBehind): void;
}

/** What a change left at a path. */
export interface LeftBehind {
  /** The part of the journal's entry that describes the change. */
  part: string;
  /** The hash of the new content; undefined when the change removed the file. */
  hash: string | undefined;
  /** The file that the change replaced or removed, as a stamp (see `stampOf`). */
  replaced: string | undefined;
}

export interface LastChange {
  part: string;
  /** The files that changes of the path replaced or removed within the last minute. */
  replaced: readonly string[];
}

export interface UnsettledChange {
  path: string;
  part: string;
  /** The last holder made the change, and is about to record its end unless it has died. */
  isMade: boolean;
}

/** Another process held a lock for too long. */
export class LockTimeout extends Error {
  constructor() {
    super('another process holds the lock');
  }
}
