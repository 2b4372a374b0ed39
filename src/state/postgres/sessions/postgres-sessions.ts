/** Sessions as rows of a table: every replica finds them, and using a session writes nothing. */
import { randomBytes } from 'node:crypto';
import type { NewSession, SessionFacts, SessionMessage, Sessions, StoredSession } from '../../sessions.ts';
import type { Database } from '../connections/database.ts';
import { COLUMNS, IS_OVER, SessionFinder, sessionOf } from './session-finder.ts';
import { SessionMessages } from './session-messages.ts';

const KEY_BYTES = 32;
/** Retries because other processes may change the same facts meanwhile. */
const MOST_TRIES = 20;

export class PostgresSessions implements Sessions {
  readonly isShared = true;
  readonly #database: Database;
  readonly #finder: SessionFinder;
  readonly #messages: SessionMessages;

  constructor(database: Database) {
    this.#database = database;
    this.#finder = new SessionFinder(database);
    this.#messages = new SessionMessages(database);
  }

  /** The first process creates the first key. */
  async keys(): Promise<readonly Buffer[]> {
    const found = await this.#readKeys();
    if (found.length > 0) return found;
    await this.#database.query(
      `INSERT INTO ${this.#secrets} (n, key) VALUES (1, $1) ON CONFLICT (n) DO NOTHING`,
      [randomBytes(KEY_BYTES)],
    );
    return this.#readKeys();
  }

  async addKey(): Promise<void> {
    await this.keys();
    await this.#database.query(
      `WITH old AS (DELETE FROM ${this.#secrets} WHERE n < (SELECT max(n) FROM ${this.#secrets}))
       INSERT INTO ${this.#secrets} (n, key) SELECT max(n) + 1, $1 FROM ${this.#secrets} ON CONFLICT (n) DO NOTHING`,
      [randomBytes(KEY_BYTES)],
    );
  }

  async open({ id, owner, opening, idleMs }: NewSession): Promise<void> {
    await this.#database.query(
      `INSERT INTO ${this.#table} (id, owner, opening, facts, idle_ms) VALUES ($1, $2, $3, '{}', $4)
       ON CONFLICT (id) DO NOTHING`,
      [id, owner, JSON.stringify(opening), idleMs],
    );
  }

  find(id: string): Promise<StoredSession | undefined> {
    return this.#finder.find(id);
  }

  async change(
    id: string,
    update: (facts: SessionFacts) => SessionFacts,
  ): Promise<StoredSession | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const found = await this.find(id);
      if (!found) return undefined;
      const [row] = await this.#database.query(
        `UPDATE ${this.#table} SET facts = $3, revision = revision + 1
         WHERE id = $1 AND revision = $2 RETURNING ${COLUMNS}`,
        [id, found.revision, JSON.stringify(update(found.facts))],
      );
      if (row) return sessionOf(row);
    }
    throw new Error('other processes keep changing the same session');
  }

  /** Also deletes sessions that are over, because every replica calls this regularly. */
  async inUse(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query(
      `WITH over AS (DELETE FROM ${this.#table} WHERE ${IS_OVER})
       UPDATE ${this.#table} SET used = clock_timestamp() WHERE id = ANY($1) AND NOT ${IS_OVER} RETURNING id`,
      [ids],
    );
    const alive = new Set(rows.map(({ id }) => String(id)));
    return ids.filter((id) => !alive.has(id));
  }

  async end(id: string): Promise<void> {
    await this.#database.query(`DELETE FROM ${this.#table} WHERE id = $1`, [id]);
  }

  send(id: string, message: string): Promise<void> {
    return this.#messages.send(id, message);
  }

  receive(ids: readonly string[]): Promise<SessionMessage[]> {
    return this.#messages.receive(ids);
  }

  async #readKeys(): Promise<Buffer[]> {
    const rows = await this.#database.query(`SELECT key FROM ${this.#secrets} ORDER BY n DESC LIMIT 2`);
    return rows.map(({ key }) => key as Buffer);
  }

  get #table(): string {
    return this.#database.table('sessions');
  }

  get #secrets(): string {
    return this.#database.table('secrets');
  }
}
