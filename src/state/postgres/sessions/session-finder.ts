/** Finds sessions. While one statement is under way, further requests wait and share the next one. */
import type { SessionFacts, StoredSession } from '../../sessions.ts';
import type { Row } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';

/** How long a replica may take to report that it uses a session. */
const GRACE = `least(60000, idle_ms / 4)`;
export const IS_OVER = `used < clock_timestamp() - (idle_ms + ${GRACE}) * interval '1 millisecond'`;
export const COLUMNS = 'id, owner, opening, facts, revision, idle_ms';

interface PendingLookup {
  id: string;
  give(session: StoredSession | undefined): void;
  fail(error: unknown): void;
}

export class SessionFinder {
  readonly #database: Database;
  #waiting: PendingLookup[] = [];
  #isAsking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  find(id: string): Promise<StoredSession | undefined> {
    return new Promise((give, fail) => {
      this.#waiting.push({ id, give, fail });
      if (!this.#isAsking) void this.#askForAll();
    });
  }

  async #askForAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting;
      this.#waiting = [];
      try {
        const found = await this.#ask([...new Set(asked.map(({ id }) => id))]);
        for (const { id, give } of asked) give(found.get(id));
      } catch (error) {
        for (const { fail } of asked) fail(error);
      }
    }
    this.#isAsking = false;
  }

  async #ask(ids: readonly string[]): Promise<Map<string, StoredSession>> {
    const rows = await this.#database.query(
      `SELECT ${COLUMNS} FROM ${this.#database.table('sessions')} WHERE id = ANY($1) AND NOT ${IS_OVER}`,
      [ids],
    );
    return new Map(rows.map(sessionOf).map((session) => [session.id, session]));
  }
}

export function sessionOf(row: Row): StoredSession {
  return {
    id: String(row.id),
    owner: String(row.owner),
    opening: JSON.parse(String(row.opening)) as SessionFacts,
    facts: JSON.parse(String(row.facts)) as SessionFacts,
    revision: Number(row.revision),
    idleMs: Number(row.idle_ms),
  };
}
