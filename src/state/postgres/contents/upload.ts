/** Uploads contents to the database. A content that is already there only gets a new time stamp. */
import { createHash } from 'node:crypto';
import type { Database } from '../connections/database.ts';
import { CHUNK_BYTES, type Chunk, chunkOf, inChunks } from './chunk.ts';
import { contentTables } from './tables.ts';

/** A single counter for the size of the store would be a bottleneck for all replicas. */
const COUNTERS = 16;
const UPLOAD_MS = 30_000;

export interface Uploaded {
  hash: string;
  size: number;
  /** Bytes that this upload added to the store. */
  added: number;
  /** Bytes in the store after the upload, from all processes. */
  all: number;
}

export class Uploads {
  readonly #database: Database;
  readonly #counter = Math.floor(Math.random() * COUNTERS);

  constructor(database: Database) {
    this.#database = database;
  }

  async whole(bytes: Buffer, hash: string): Promise<Uploaded> {
    if (bytes.length <= CHUNK_BYTES) return this.#small(bytes, hash);
    const all = await this.#touch(hash);
    if (all !== undefined) return { hash, size: bytes.length, added: 0, all };
    async function* once() {
      yield bytes;
    }
    return this.pieces(once());
  }

  /** Stores the chunks under an id of their own: the hash, which becomes the name, is only known at the end. */
  async pieces(pieces: AsyncIterable<Buffer>): Promise<Uploaded> {
    const hashing = createHash('sha256');
    let id: string | undefined;
    let size = 0;
    let stored = 0;
    let n = 0;
    let first: Buffer | undefined;
    for await (const bytes of inChunks(pieces)) {
      hashing.update(bytes);
      size += bytes.length;
      if (n === 0 && bytes.length < CHUNK_BYTES) {
        first = bytes;
        continue;
      }
      id ??= await this.#begin();
      const chunk = await chunkOf(bytes);
      stored += chunk.data.length;
      await this.#add(id, n++, chunk);
    }
    const hash = hashing.digest('hex');
    if (id === undefined) return this.#small(first ?? Buffer.alloc(0), hash);
    return this.#name(id, hash, size, stored);
  }

  async #small(bytes: Buffer, hash: string): Promise<Uploaded> {
    const table = contentTables(this.#database);
    const { deflated, data } = await chunkOf(bytes);
    const [row] = await this.#database.query(
      `WITH named AS (
         INSERT INTO ${table.contents} (hash, id, size, stored)
         VALUES ($1, nextval('${table.ids}'), $2, $3)
         ON CONFLICT (hash) DO UPDATE SET touched = clock_timestamp(), retired = NULL, erasing = false
         RETURNING id, (xmax = 0) AS added
       ), chunk AS (
         INSERT INTO ${table.chunks} (id, n, deflated, data) SELECT id, 0, $4, $5 FROM named WHERE added
       ), counted AS (
         UPDATE ${table.usage} SET bytes = bytes + $3 WHERE slot = $6 AND (SELECT added FROM named)
       )
       SELECT added, (SELECT sum(bytes) FROM ${table.usage}) AS bytes FROM named`,
      [Buffer.from(hash, 'hex'), bytes.length, data.length, deflated, data, this.#counter],
      { ms: UPLOAD_MS },
    );
    const added = row!.added === true ? data.length : 0;
    return { hash, size: bytes.length, added, all: Number(row!.bytes) + added };
  }

  /** If the content is there, counts it as put again and returns the bytes in the store. */
  async #touch(hash: string): Promise<number | undefined> {
    const table = contentTables(this.#database);
    const [row] = await this.#database.query(
      `WITH touched AS (
         UPDATE ${table.contents} SET touched = clock_timestamp(), retired = NULL, erasing = false
         WHERE hash = $1 RETURNING id
       ) SELECT (SELECT sum(bytes) FROM ${table.usage}) AS bytes FROM touched`,
      [Buffer.from(hash, 'hex')],
    );
    return row && Number(row.bytes);
  }

  async #begin(): Promise<string> {
    const table = contentTables(this.#database);
    const [row] = await this.#database.query(
      `INSERT INTO ${table.uploads} (id) VALUES (nextval('${table.ids}')) RETURNING id`,
    );
    return String(row!.id);
  }

  async #add(id: string, n: number, { deflated, data }: Chunk): Promise<void> {
    const table = contentTables(this.#database);
    await this.#database.query(
      `INSERT INTO ${table.chunks} (id, n, deflated, data) VALUES ($1, $2, $3, $4)`,
      [id, n, deflated, data],
      { ms: UPLOAD_MS },
    );
  }

  async #name(id: string, hash: string, size: number, stored: number): Promise<Uploaded> {
    const table = contentTables(this.#database);
    return this.#database.transaction(async (connection) => {
      const [row] = await connection.query(
        `INSERT INTO ${table.contents} (hash, id, size, stored) VALUES ($1, $2, $3, $4)
         ON CONFLICT (hash) DO UPDATE SET touched = clock_timestamp(), retired = NULL, erasing = false
         RETURNING id`,
        [Buffer.from(hash, 'hex'), id, size, stored],
      );
      const isOurs = String(row!.id) === id;
      // Another process was quicker.
      if (!isOurs) await connection.query(`DELETE FROM ${table.chunks} WHERE id = $1`, [id]);
      await connection.query(`DELETE FROM ${table.uploads} WHERE id = $1`, [id]);
      const added = isOurs ? stored : 0;
      await connection.query(`UPDATE ${table.usage} SET bytes = bytes + $1 WHERE slot = $2`, [
        ...[added, this.#counter],
      ]);
      const [usage] = await connection.query(`SELECT sum(bytes) AS bytes FROM ${table.usage}`);
      return { hash, size, added, all: Number(usage!.bytes) };
    });
  }
}
