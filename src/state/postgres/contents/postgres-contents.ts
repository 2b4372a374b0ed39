/** The content store of a fleet. */
import { hashOf } from '../../content-hash.ts';
import type { Contents, ContentsUsage, IsNeeded, StoredContent } from '../../contents.ts';
import type { Database } from '../connections/database.ts';
import { download, downloadPieces } from './download.ts';
import { erase, listStored, retire } from './removal.ts';
import { contentTables } from './tables.ts';
import { type Uploaded, Uploads } from './upload.ts';

/** A content that this process uploaded this recently is not uploaded again: `stored` checks that it still exists. */
const RECENT_MS = 60_000;
const MOST_RECENT = 10_000;

/** A content that a caller will ask `stored` about. */
interface Expected {
  bytes: Buffer;
  upload: Promise<unknown> | undefined;
  at: number;
}

export class PostgresContents implements Contents {
  readonly usage: ContentsUsage;
  readonly #database: Database;
  readonly #uploads: Uploads;
  /** Settles when the records that refer to contents are committed: only then is it known whether one was erased. */
  readonly #recordsWritten: () => Promise<void>;
  readonly #expected = new Map<string, Expected>();
  readonly #running = new Set<Promise<unknown>>();
  /** When this process last uploaded a content, by hash. */
  readonly #recent = new Map<string, number>();
  #known = Number.POSITIVE_INFINITY;
  #added = 0;
  #pending = 0;

  constructor(database: Database, recordsWritten: () => Promise<void>) {
    this.#database = database;
    this.#uploads = new Uploads(database);
    this.#recordsWritten = recordsWritten;
    this.usage = this.#usage();
  }

  async put(bytes: Buffer, flush = true): Promise<string> {
    const hash = await hashOf(bytes);
    if (!flush) {
      await this.#upload(bytes, hash);
      return hash;
    }
    this.#forgetOld();
    if (this.#expected.has(hash)) return hash;
    const isRecent = performance.now() - (this.#recent.get(hash) ?? Number.NEGATIVE_INFINITY) < RECENT_MS;
    const upload = isRecent ? undefined : this.#upload(bytes, hash);
    upload?.catch(() => {});
    this.#expected.set(hash, { bytes, upload, at: performance.now() });
    return hash;
  }

  putLater(bytes: Buffer): void {
    this.#pending += bytes.length;
    const putting = hashOf(bytes).then((hash) => this.#upload(bytes, hash));
    this.#track(putting.finally(() => (this.#pending -= bytes.length)));
  }

  async putChunks(chunks: AsyncIterable<Buffer>): Promise<{ hash: string; size: number }> {
    const { hash, size } = await this.#track(this.#uploads.pieces(chunks).then((done) => this.#count(done)));
    return { hash, size };
  }

  async stored(hashes: Iterable<string>): Promise<void> {
    const names = [...hashes];
    const expected = new Map(names.map((name) => [name, this.#expected.get(name)]));
    try {
      await Promise.all([...expected.values()].map((each) => each?.upload));
      await this.#recordsWritten();
      for (const name of await this.#missing(names)) {
        const bytes = expected.get(name)?.bytes;
        if (!bytes) throw new Error(`the content ${name} is gone`);
        await this.#upload(bytes, name);
      }
    } finally {
      for (const name of names) this.#expected.delete(name);
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running]);
  }

  get(hash: string): Promise<Buffer | undefined> {
    return download(this.#database, hash);
  }

  chunks(hash: string): Promise<AsyncIterable<Buffer> | undefined> {
    return downloadPieces(this.#database, hash);
  }

  async has(hash: string): Promise<boolean> {
    return this.#expected.has(hash) || (await this.#missing([hash])).length === 0;
  }

  list(): AsyncIterable<StoredContent> {
    return listStored(this.#database);
  }

  async sizeOf(name: string): Promise<number | undefined> {
    const table = contentTables(this.#database);
    const [row] = await this.#database.query(
      `SELECT stored FROM ${table.contents} WHERE hash = $1 AND NOT erasing`,
      [Buffer.from(name, 'hex')],
    );
    return row && Number(row.stored);
  }

  retire(names: Iterable<string>, isNeeded: IsNeeded, now: number = Date.now()): Promise<number> {
    return retire(this.#database, names, isNeeded, now);
  }

  erase(names: Iterable<string>, neededNow: () => Promise<IsNeeded>): Promise<void> {
    return erase(this.#database, names, neededNow);
  }

  close(): void {
    this.#expected.clear();
    this.#recent.clear();
  }

  #upload(bytes: Buffer, hash: string): Promise<Uploaded> {
    return this.#track(this.#uploads.whole(bytes, hash).then((done) => this.#count(done)));
  }

  #count(done: Uploaded): Uploaded {
    this.#known = done.all;
    this.#added += done.added;
    if (this.#recent.size >= MOST_RECENT) this.#recent.clear();
    this.#recent.set(done.hash, performance.now());
    return done;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const ended = () => void this.#running.delete(work);
    work.then(ended, ended);
    return work;
  }

  /** Which of these contents are missing. Those that were retired are needed again, so they are restored. */
  async #missing(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const table = contentTables(this.#database);
    const rows = await this.#database.query(
      `WITH back AS (
         UPDATE ${table.contents} SET retired = NULL WHERE hash = ANY($1::bytea[]) AND retired IS NOT NULL
       )
       SELECT hash FROM ${table.contents} WHERE hash = ANY($1::bytea[]) AND NOT erasing`,
      [names.map((name) => Buffer.from(name, 'hex'))],
    );
    const there = new Set(rows.map(({ hash }) => (hash as Buffer).toString('hex')));
    return names.filter((name) => !there.has(name));
  }

  /** A call that failed never asks `stored` about its contents. */
  #forgetOld(): void {
    const before = performance.now() - RECENT_MS;
    for (const [hash, { at }] of this.#expected) {
      if (at > before) return;
      this.#expected.delete(hash);
    }
  }

  #usage(): ContentsUsage {
    const self = this;
    return {
      get bytes() {
        return self.#known;
      },
      get added() {
        return self.#added;
      },
      get pending() {
        return self.#pending;
      },
      measure: async () => {
        const table = contentTables(self.#database);
        const [row] = await self.#database.query(
          `WITH now AS (SELECT coalesce(sum(stored), 0) AS bytes FROM ${table.contents}),
           counted AS (UPDATE ${table.usage} SET bytes = CASE slot WHEN 0 THEN (SELECT bytes FROM now) ELSE 0 END)
           SELECT bytes FROM now`,
          [],
          { ms: 600_000 },
        );
        self.#known = Number(row!.bytes);
        return self.#known;
      },
    };
  }
}
