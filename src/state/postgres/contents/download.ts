/** Reads contents, and never returns bytes that do not hash to their name. */
import { createHash } from 'node:crypto';
import { DamagedContent } from '../../contents.ts';
import type { Database } from '../connections/database.ts';
import { bytesOf } from './chunk.ts';
import { contentTables } from './tables.ts';

const DOWNLOAD_MS = 30_000;

/** Undefined when the content is missing or damaged. */
export async function download(database: Database, hash: string): Promise<Buffer | undefined> {
  const pieces = await downloadPieces(database, hash);
  if (!pieces) return undefined;
  const parts: Buffer[] = [];
  try {
    for await (const part of pieces) parts.push(part);
  } catch (error) {
    if (error instanceof DamagedContent) return undefined;
    throw error;
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

export async function downloadPieces(
  database: Database,
  hash: string,
): Promise<AsyncIterable<Buffer> | undefined> {
  const table = contentTables(database);
  const [row] = await database.query(`SELECT id FROM ${table.contents} WHERE hash = $1 AND NOT erasing`, [
    Buffer.from(hash, 'hex'),
  ]);
  return row && chunksOf(database, hash, String(row.id));
}

async function* chunksOf(database: Database, hash: string, id: string): AsyncGenerator<Buffer> {
  const table = contentTables(database);
  const hashing = createHash('sha256');
  for (let n = 0; ; n++) {
    const [row] = await database.query(
      `SELECT deflated, data FROM ${table.chunks} WHERE id = $1 AND n = $2`,
      [id, n],
      { ms: DOWNLOAD_MS },
    );
    if (!row) break;
    const bytes = await bytesOf({ deflated: row.deflated === true, data: row.data as Buffer });
    if (!bytes) throw new DamagedContent(hash);
    hashing.update(bytes);
    yield bytes;
  }
  if (hashing.digest('hex') !== hash) throw new DamagedContent(hash);
}
