/** Removes and redacts records. Readers notice the new generation of the log, and read it again. */
import type { Database } from '../connections/database.ts';
import type { LogRows, StoredRecord } from './log-reader.ts';

const AT_ONCE = 1000;
/** An entry with younger lines may still be in progress, or unknown to the server that chooses. */
const SETTLED_MS = 24 * 3_600_000;

/** Atomic: removes either everything that `choose` left out, or nothing. */
export async function compact<R extends object>(
  database: Database,
  log: string,
  rows: LogRows<R>,
  choose: (segment: readonly R[], isComplete: boolean) => readonly R[],
): Promise<void> {
  const gone: number[] = [];
  for await (const page of pagesOf(rows, await rows.endOfOlderThan(SETTLED_MS))) {
    const chosen = new Set(
      choose(
        page.map(({ record }) => record),
        true,
      ),
    );
    for (const { seq, record } of page) if (!chosen.has(record)) gone.push(seq);
  }
  if (gone.length === 0) return;
  const [records, logs] = [database.recordsOf(log), database.table('logs')];
  await database.transaction(async (connection) => {
    let bytes = 0;
    for (let at = 0; at < gone.length; at += AT_ONCE) {
      const [row] = await connection.query(
        `WITH gone AS (DELETE FROM ${records} WHERE log = $1 AND seq = ANY($2::bigint[]) RETURNING length(body) AS bytes)
         SELECT coalesce(sum(bytes), 0) AS bytes FROM gone`,
        [log, gone.slice(at, at + AT_ONCE)],
      );
      bytes += Number(row!.bytes);
    }
    await changed(connection, logs, log, bytes);
  });
}

export async function redact<R extends object>(
  database: Database,
  log: string,
  rows: LogRows<R>,
  { replace, stored }: { replace(record: R): readonly R[] | undefined; stored(record: R): string },
): Promise<void> {
  const [records, logs] = [database.recordsOf(log), database.table('logs')];
  let isChanged = false;
  const { last } = await rows.head();
  for await (const page of pagesOf(rows, last + 1)) {
    const changes = page.flatMap(({ seq, record }) => {
      const others = replace(record)?.map(stored);
      const room = stored(record).length;
      const body = others?.find((each) => each.length <= room);
      return others === undefined ? [] : [{ seq, body, saved: room - (body?.length ?? 0) }];
    });
    if (changes.length === 0) continue;
    isChanged = true;
    const [kept, gone] = [
      changes.filter(({ body }) => body !== undefined),
      changes.filter(({ body }) => body === undefined),
    ];
    await database.transaction(async (connection) => {
      await connection.query(
        `UPDATE ${records} SET body = each.body FROM unnest($2::bigint[], $3::text[]) AS each (seq, body)
         WHERE log = $1 AND ${records}.seq = each.seq`,
        [log, kept.map(({ seq }) => seq), kept.map(({ body }) => body)],
      );
      await connection.query(`DELETE FROM ${records} WHERE log = $1 AND seq = ANY($2::bigint[])`, [
        ...[log, gone.map(({ seq }) => seq)],
      ]);
      await changed(
        connection,
        logs,
        log,
        changes.reduce((sum, { saved }) => sum + saved, 0),
      );
    });
  }
  // The old rows stay on the disk until the table is vacuumed. VACUUM fails for anybody but the owner of the table.
  if (isChanged) await database.query(`VACUUM ${records}`, [], { ms: 600_000 }).catch(() => {});
}

function changed(
  connection: { query(text: string, values: readonly unknown[]): Promise<unknown> },
  logs: string,
  log: string,
  bytes: number,
): Promise<unknown> {
  return connection.query(
    `UPDATE ${logs} SET generation = generation + 1, bytes = bytes - $2 WHERE log = $1`,
    [log, bytes],
  );
}

async function* pagesOf<R extends object>(rows: LogRows<R>, end: number): AsyncGenerator<StoredRecord<R>[]> {
  for (let last = 0; last + 1 < end; ) {
    const page = await rows.after(last);
    last = page.last;
    yield page.rows.filter(({ seq }) => seq < end);
    if (page.isEnd) return;
  }
}
