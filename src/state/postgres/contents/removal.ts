/** Retires and erases contents: they are taken out of use first, and removed only when nothing needs them. */
import type { IsNeeded, StoredContent } from '../../contents.ts';
import type { Row } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';
import { contentTables } from './tables.ts';

/** A content that was put within this time may belong to an entry that is still being written. */
const YOUNG = "interval '10 minutes'";
/** How long a retired content can still be restored. */
const LEAVING_MS = 5 * 60_000;
const ABANDONED = "interval '1 day'";
const PAGE = 1000;
const LONG_MS = 600_000;

export async function* listStored(database: Database): AsyncGenerator<StoredContent> {
  const table = contentTables(database);
  for (let last: Buffer = Buffer.alloc(0); ; ) {
    const rows = await database.query(
      `SELECT hash, stored, touched > clock_timestamp() - ${YOUNG} AS young FROM ${table.contents}
       WHERE hash > $1 AND NOT erasing ORDER BY hash LIMIT ${PAGE}`,
      [last],
    );
    for (const { hash, stored, young } of rows) {
      last = hash as Buffer;
      yield { name: last.toString('hex'), bytes: Number(stored), young: young === true };
    }
    if (rows.length < PAGE) return;
  }
}

export async function retire(
  database: Database,
  names: Iterable<string>,
  isNeeded: IsNeeded,
  now: number,
): Promise<number> {
  const table = contentTables(database);
  // Only tests pass a time other than now.
  const ahead = now - Date.now();
  await finish(database, isNeeded, LEAVING_MS - ahead);
  const hashes = hashesOf(names, (name) => !isNeeded(name));
  let bytes = 0;
  for (let at = 0; at < hashes.length; at += PAGE) {
    const rows = await database.query(
      `UPDATE ${table.contents} SET retired = clock_timestamp()
       WHERE hash = ANY($1::bytea[]) AND retired IS NULL AND touched <= clock_timestamp() - ${YOUNG}
       RETURNING stored`,
      [hashes.slice(at, at + PAGE)],
    );
    bytes += rows.reduce((sum, { stored }) => sum + Number(stored), 0);
  }
  await database.query(
    `WITH old AS (DELETE FROM ${table.uploads} WHERE started < clock_timestamp() - ${ABANDONED} RETURNING id)
     DELETE FROM ${table.chunks} WHERE id IN (SELECT id FROM old)`,
    [],
    { ms: LONG_MS },
  );
  return bytes;
}

export async function erase(
  database: Database,
  names: Iterable<string>,
  neededNow: () => Promise<IsNeeded>,
): Promise<void> {
  const table = contentTables(database);
  const hashes = hashesOf(names);
  for (let at = 0; at < hashes.length; at += PAGE) {
    await database.query(`UPDATE ${table.contents} SET erasing = true WHERE hash = ANY($1::bytea[])`, [
      hashes.slice(at, at + PAGE),
    ]);
  }
  await finish(database, await neededNow(), LEAVING_MS);
  // The bytes stay on the disk until the table is vacuumed. VACUUM fails for anybody but the owner of the table.
  if (hashes.length > 0) await database.query(`VACUUM ${table.chunks}`, [], { ms: LONG_MS }).catch(() => {});
}

/** Restores the contents out of use that are needed, and removes those that are due. */
async function finish(database: Database, isNeeded: IsNeeded, leavingMs: number): Promise<void> {
  const table = contentTables(database);
  const due = `(erasing OR retired < clock_timestamp() - ${Math.round(leavingMs)} * interval '1 millisecond')`;
  const rows = await database.query(
    `SELECT hash, ${due} AS due FROM ${table.contents} WHERE erasing OR retired IS NOT NULL`,
    [],
    { ms: LONG_MS },
  );
  const isWanted = ({ hash }: Row) => isNeeded((hash as Buffer).toString('hex'));
  const [wanted, gone] = [rows.filter(isWanted), rows.filter((row) => row.due === true && !isWanted(row))];
  await inPages(wanted, (hashes) =>
    database.query(
      `UPDATE ${table.contents} SET erasing = false, retired = NULL WHERE hash = ANY($1::bytea[])`,
      [hashes],
    ),
  );
  // `due` is checked again: a server may have put the content again in the meantime.
  await inPages(gone, (hashes) =>
    database.query(
      `WITH gone AS (
         DELETE FROM ${table.contents} WHERE hash = ANY($1::bytea[]) AND ${due} RETURNING id, stored
       ), chunks AS (
         DELETE FROM ${table.chunks} WHERE id IN (SELECT id FROM gone)
       )
       UPDATE ${table.usage} SET bytes = bytes - (SELECT coalesce(sum(stored), 0) FROM gone) WHERE slot = 0`,
      [hashes],
      { ms: LONG_MS },
    ),
  );
}

async function inPages(rows: readonly Row[], work: (hashes: unknown[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += PAGE) {
    await work(rows.slice(at, at + PAGE).map(({ hash }) => hash));
  }
}

function hashesOf(names: Iterable<string>, wanted: (name: string) => boolean = () => true): Buffer[] {
  return [...names].filter(wanted).map((name) => Buffer.from(name, 'hex'));
}
