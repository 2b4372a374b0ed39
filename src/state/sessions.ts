/**
 * Sessions: what must be known of a client between its requests, whichever process gets them.
 *
 * Every implementation guarantees:
 * - **One truth.** When `open`, `change` or `end` has settled, every process that asks finds it so.
 * - **Over for good.** A session that was ended, or that nobody used for its `idleMs`, is found by nobody. It may take
 *   up to a quarter of that time longer, and never more than a minute.
 * - **Use costs nothing.** To find a session writes nothing. Each process reports now and then, in one piece, which
 *   sessions it has in use (`reportInterval` says how often).
 * - **Messages.** What one process sends about a session reaches every other one that asks for it within a minute, once.
 * - **One set of keys.** All processes sign with the same key, and accept the one before it, too.
 */
export interface Sessions {
  /** Whether other processes may have the same sessions. */
  readonly isShared: boolean;

  /** Secret bytes that sign what clients are given to keep. The first one signs; what any of them signed is valid. */
  keys(): Promise<readonly Buffer[]>;

  /** Makes another key, which signs from now on. Only the one before it stays valid. */
  addKey(): Promise<void>;

  open(session: NewSession): Promise<void>;

  find(id: string): Promise<StoredSession | undefined>;

  /** Replaces the facts by those that `update` makes of them. Undefined when the session is over. */
  change(id: string, update: (facts: SessionFacts) => SessionFacts): Promise<StoredSession | undefined>;

  /** These are in use here. Gives those of them that are over. */
  inUse(ids: readonly string[]): Promise<string[]>;

  end(id: string): Promise<void>;

  /** Tells something to all other processes that have this session. */
  send(id: string, message: string): Promise<void>;

  /** What other processes sent about these sessions within the last minute, and nobody was given here before. */
  receive(ids: readonly string[]): Promise<SessionMessage[]>;
}

/** Values that can be written as JSON, by their names. */
export type SessionFacts = Readonly<Record<string, unknown>>;

export interface NewSession {
  id: string;
  /** Whose it is. */
  owner: string;
  /** What was known when it began; never changes. */
  opening: SessionFacts;
  /** It is over when nobody has used it for so long. */
  idleMs: number;
}

export interface StoredSession extends NewSession {
  facts: SessionFacts;
  /** Another one after each change of the facts. */
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
