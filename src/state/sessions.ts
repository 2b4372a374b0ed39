/**
 * Sessions: what a server must remember about a client between its requests, whichever process handles them.
 *
 * Every implementation guarantees:
 * - **Consistent.** When `open`, `change` or `end` has settled, every process sees the result.
 * - **Expiry.** A session that was ended, or not used for its `idleMs`, is never found again. An idle session may
 *   live longer by a quarter of that time, but by no more than a minute.
 * - **Cheap use.** Finding a session writes nothing. Instead, each process reports the sessions that it has in use, all
 *   at once and at intervals (`reportInterval`).
 * - **Messages.** Every other process that asks within a minute gets a message about a session once.
 * - **One set of keys.** All processes sign with the same key, and accept the previous key too.
 */
export interface Sessions {
  /** Whether other processes may have the same sessions. */
  readonly isShared: boolean;

  /** The keys for values that clients keep. The first one signs; a signature by any of them is valid. */
  keys(): Promise<readonly Buffer[]>;

  /** Makes a new key, which signs from now on. Of the older keys, only the previous one stays valid. */
  addKey(): Promise<void>;

  open(session: NewSession): Promise<void>;

  find(id: string): Promise<StoredSession | undefined>;

  /** Replaces the facts with the result of `update`. Returns undefined when the session is over. */
  change(id: string, update: (facts: SessionFacts) => SessionFacts): Promise<StoredSession | undefined>;

  /** Reports that this process uses these sessions. Returns those of them that are over. */
  inUse(ids: readonly string[]): Promise<string[]>;

  end(id: string): Promise<void>;

  /** Sends a message to all other processes that use this session. */
  send(id: string, message: string): Promise<void>;

  /** Messages of the last minute that other processes sent about these sessions and that were not received yet. */
  receive(ids: readonly string[]): Promise<SessionMessage[]>;
}

/** JSON values by name. */
export type SessionFacts = Readonly<Record<string, unknown>>;

export interface NewSession {
  id: string;
  owner: string;
  /** The facts that were known when the session began; they never change. */
  opening: SessionFacts;
  /** The session is over when it was not used for this long. */
  idleMs: number;
}

export interface StoredSession extends NewSession {
  facts: SessionFacts;
  /** Increases with each change of the facts. */
  revision: number;
}

export interface SessionMessage {
  session: string;
  message: string;
}

const LONGEST_MS = 60_000;

/** How often a process reports which sessions it has in use. */
export function reportInterval(idleMs: number): number {
  return Math.min(LONGEST_MS, idleMs / 4);
}
