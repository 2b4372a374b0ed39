/** Notes as rows of a table. */
import type { Note, Notes } from '../state.ts';
import type { Database } from './connections/database.ts';

export class PostgresNotes implements Notes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(name: string): Promise<Note | undefined> {
    const [row] = await this.#database.query(
      `SELECT text, extract(epoch FROM at) * 1000 AS at FROM ${this.#database.table('notes')} WHERE name = $1`,
      [name],
    );
    return row && { text: String(row.text), at: Number(row.at) };
  }

  async write(name: string, text: string): Promise<void> {
    await this.#database.query(
      `INSERT INTO ${this.#database.table('notes')} (name, text) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET text = excluded.text, at = clock_timestamp()`,
      [name, text],
    );
  }
}
