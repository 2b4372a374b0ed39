/**
 * Messages about sessions, from one replica to all others that use the session.
 *
 * Rows get their numbers before they are committed, so a reader that only asked for higher numbers would miss some. It
 * reads the whole last minute instead, and skips the messages that it has had before.
 */
import { randomUUID } from 'node:crypto';
import type { SessionMessage } from '../../sessions.ts';
import type { Database } from '../connections/database.ts';

const REMEMBERED = 10_000;

export class SessionMessages {
  readonly #database: Database;
  readonly #sender = randomUUID();
  readonly #had = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  async send(session: string, message: string): Promise<void> {
    const table = this.#database.table('session_messages');
    await this.#database.query(
      `WITH old AS (DELETE FROM ${table} WHERE at < clock_timestamp() - interval '2 minutes')
       INSERT INTO ${table} (session, sender, body) VALUES ($1, $2, $3)`,
      [session, this.#sender, message],
    );
  }

  async receive(sessions: readonly string[]): Promise<SessionMessage[]> {
    if (sessions.length === 0) return [];
    const rows = await this.#database.query(
      `SELECT n, session, body FROM ${this.#database.table('session_messages')}
       WHERE session = ANY($1) AND sender <> $2 AND at > clock_timestamp() - interval '1 minute' ORDER BY n`,
      [sessions, this.#sender],
    );
    const fresh = rows.filter(({ n }) => !this.#had.has(String(n)));
    for (const { n } of fresh) this.#had.add(String(n));
    for (const oldest of this.#had) {
      if (this.#had.size <= REMEMBERED) break;
      this.#had.delete(oldest);
    }
    return fresh.map(({ session, body }) => ({ session: String(session), message: String(body) }));
  }
}
