/**
 * Locks: one holder at a time for each key, in this process and in all others that share the state.
 *
 * Every implementation guarantees:
 * - **Exclusion.** Of all tasks that hold a key, in any process, one runs at a time.
 * - **No circle.** A holder of several keys took them in one fixed order, the same everywhere, whatever the order in
 *   which they were named: two tasks never wait for each other. A task must not lock again what it holds, and a lock
 *   that it takes while it holds others must come later in the order.
 * - **No stale lock.** The lock of a process that died is free again, without anybody's help.
 * - **Order.** Tasks of one process get a key in the order in which they asked for it.
 *
 * A lock keeps its holders apart. Programs that know nothing of it are not held off.
 */
export interface Locks {
  /**
   * Runs `task` while it holds the locks of all keys. Throws a `LockTimeout` when another process does not let go, a
   * `StateUnavailable` when the locks cannot be reached, and the signal's reason when the signal aborts while it waits.
   */
  hold<T>(
    keys: readonly LockKey[],
    task: (lease: Lease | undefined) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;

  /** Runs `task` unless somebody holds the key now; false when somebody does. */
  tryHold(key: LockKey, task: () => Promise<void>): Promise<boolean>;
}

/** What is locked: something that has a name in the state, or an entry of a served directory. */
export type LockKey = string | EntryKey;

/**
 * An entry has two faces. On one machine it is its directory's identity and its name, whatever path leads there. Other
 * machines know neither devices nor inodes: for them it is its path, and a server that changes it must also be sure
 * that no other removes or moves a directory above it.
 */
export interface EntryKey {
  readonly onMachine: string;
  /** Absolute, with all links resolved. */
  readonly path: string;
}

/**
 * A lock that its holder may lose without knowing it: another machine keeps it, and frees it when it has no sign of the
 * holder. Locks of one machine have no lease.
 */
export interface Lease {
  /** Settles when the lock is known to be held still; throws a `StateUnavailable` when it is lost or nobody can tell. */
  prove(): Promise<void>;
  /** Throws when the last proof is too old to change something now. */
  requireFresh(): void;
  /** What the last holder of an entry's lock has left there, as far as anybody knows. */
  lastOf(path: string): LastChange | undefined;
  /** Changes that were written down for the locked entries, and whose end nobody has recorded. */
  readonly unsettled: readonly UnsettledChange[];
  /** What this holder has left at an entry. The next holder of the lock gets to know. */
  leaves(path: string, change: LeftBehind): void;
}

/** What a change has left at a path. */
export interface LeftBehind {
  /** The part of the journal's entry that describes the change. */
  part: string;
  /** Of the content; undefined where there is no file any more. */
  hash: string | undefined;
  /** Which file the change replaced or removed, as `stampOf` says. */
  replaced: string | undefined;
}

export interface LastChange {
  part: string;
  hash: string | undefined;
  /** Files that the last changes of the path replaced or removed, none of them older than a minute. */
  replaced: readonly string[];
}

export interface UnsettledChange {
  path: string;
  part: string;
  /** The last holder has left the change made: its end is on its way, unless that holder has died meanwhile. */
  isMade: boolean;
}

/** Another process has held a lock for too long. */
export class LockTimeout extends Error {
  constructor() {
    super('another process holds the lock');
  }
}
