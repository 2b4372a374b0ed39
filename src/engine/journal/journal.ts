/**
 * The journal: every change of a file, with what is needed to undo it.
 *
 * Several servers may share one journal. Before a server makes a change, it writes a line to the log and keeps what the
 * file held in the content store.
 */
import { randomInt } from 'node:crypto';
import type { Locks } from '../../state/locks.ts';
import type { Log } from '../../state/log.ts';
import type { State } from '../../state/state.ts';
import type { JournalEntry, Origin } from './entries/entry.ts';
import type { EntryIndex } from './entries/entry-index.ts';
import { EntryReader } from './entries/entry-reader.ts';
import type { Line } from './entries/line.ts';
import { journalLogOptions } from './entries/log-options.ts';
import { EntryQuota, type QuotaBounds } from './record/entry-quota.ts';
import { JournalRecorder, type RecorderParts } from './record/journal-recorder.ts';
import { makeRoom, prune } from './retention/retention.ts';
import {
  defaultRetention,
  defaultSharedRetention,
  type RetentionLimits,
  unlimitedRetention,
} from './retention/retention-limits.ts';
import { Store } from './store.ts';

const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const ID_LENGTH = 10;
const TIDY_EVERY_MS = 6 * 3_600_000;
const MEASURE_LINES_MS = 1000;
/** The share of the size limit that is reserved for lines that any server adds after the last measurement. */
const LINES_RESERVE = 1 / 32;
/** The reserve is never larger than this. */
const MOST_RESERVED_BYTES = 1024 ** 2;
const MOST_UNTIDY_BYTES = 64 * 1024 * 1024;
/** How many parts that this server began the journal remembers. */
const MOST_BEGUN = 1024;
/** The note that says when and with which limits a server last tidied. */
const TIDIED = 'tidied';

export class Journal {
  readonly state: State;
  readonly log: Log<Line>;
  readonly store: Store;

  readonly #reader: EntryReader;
  readonly #keep: RetentionLimits;
  /** The limits for one entry. */
  readonly #entryLimits: Pick<RetentionLimits, 'file' | 'call' | 'changesLarge'>;
  /** The parts that this server began, the newest last. */
  readonly #begun = new Set<string>();
  #pruning: Promise<unknown> | undefined;
  /** How much room the lines take, and when that was measured. */
  #lines: { at: number; bytes: number } | undefined;
  /** When this process last tidied, or found that another one had, and how many bytes it had added by then. */
  #tidied: { at: number; added: number } | undefined;

  constructor(state: State, keep: RetentionLimits = defaultRetention) {
    this.state = state;
    this.#keep = keep;
    this.#entryLimits = { ...(state.paths && defaultSharedRetention), ...keep };
    this.log = state.log('journal', journalLogOptions(state.paths));
    this.#reader = new EntryReader(this.log);
    this.store = new Store(state.contents, () => this.#reader.forgotten);
  }

  get locks(): Locks {
    return this.state.locks;
  }

  /** A process holds this lock while it removes something from the state. */
  get tidyLock(): string {
    return `tidy ${this.state.name}`;
  }

  /** A recorder for one call. It writes nothing until the call changes something. */
  begin(
    origin: Origin,
    more: { undoes?: string; found?: true; unrecorded?: string; call?: string } = {},
    onChange?: RecorderParts['onChange'],
  ): JournalRecorder {
    const head = { e: newId(), at: Date.now(), by: origin, ...more };
    this.#begun.add(head.e);
    if (this.#begun.size > MOST_BEGUN) this.#begun.delete(this.#begun.values().next().value!);
    return new JournalRecorder({
      log: this.log,
      store: this.store,
      quota: new EntryQuota(this.quotaBounds),
      head,
      ...(onChange && { onChange }),
    });
  }

  /** Whether this server began the part, not long ago, and will therefore write its end. */
  hasBegun(part: string): boolean {
    return this.#begun.has(part);
  }

  /** The entries, also those that other processes added. */
  read(): Promise<EntryIndex> {
    return this.#reader.read();
  }

  /** Ends an interrupted entry whose missing changes have been made since. */
  async complete(id: string): Promise<void> {
    const found = (await this.read()).find(id);
    if (found?.open) this.log.append(...found.parts.map((e): Line => ({ e, end: 'done' })));
  }

  /**
   * Notes that an entry is undone when the files are already as they were before it. Returns the id of the note, or of
   * the interrupted undo that the note continues.
   */
  noteUndone(entry: JournalEntry, origin: Origin, continued?: string): string {
    const call = continued === undefined ? {} : { call: continued };
    const note = this.begin(origin, { undoes: entry.id, ...call });
    note.add([], entry.roots);
    note.end('done');
    return note.id;
  }

  /**
   * Brings the journal down to its size limit, if it exceeds that. Gives up the oldest entries, but never `entry`,
   * which the caller has just made.
   */
  async enforceSize(entry?: string): Promise<void> {
    const { usage } = this.state.contents;
    if (this.#keep.bytes === Number.POSITIVE_INFINITY || usage.bytes <= this.contentLimit) return;
    const makingRoom = this.locks.hold([this.tidyLock], async () => {
      if ((await usage.measure()) <= this.contentLimit) return;
      await makeRoom(this, (this.contentLimit * 7) / 8 - usage.pending, entry);
      await usage.measure();
    });
    // The change is made, and must not count as failed because another process holds the lock.
    await makingRoom.catch(() => {});
  }

  /** How many bytes contents may take: the size limit without what the lines need. */
  get contentLimit(): number {
    const { bytes } = this.#keep;
    if (bytes === Number.POSITIVE_INFINITY) return bytes;
    const now = performance.now();
    const reserved = Math.min(bytes * LINES_RESERVE, MOST_RESERVED_BYTES);
    // Quick calls can fill a smaller reserve before the next measurement.
    const isSmall = reserved < MOST_RESERVED_BYTES;
    if (this.#lines === undefined || isSmall || now - this.#lines.at > MEASURE_LINES_MS) {
      this.#lines = { at: now, bytes: this.log.size() };
    }
    return bytes - reserved - Math.min(this.#lines.bytes, bytes / 2);
  }

  /** How much one entry may keep. */
  get quotaBounds(): QuotaBounds {
    const {
      file = Number.POSITIVE_INFINITY,
      call = Number.POSITIVE_INFINITY,
      changesLarge,
    } = this.#entryLimits;
    const { contentLimit } = this;
    return {
      ...(call < contentLimit
        ? { call, callOption: '--keep-call' }
        : { call: contentLimit, callOption: '--keep' }),
      ...{ file, withoutUndo: changesLarge === true },
    };
  }

  /** Gives up what exceeds the limits, if it is time or much was added since the last run. Called after changes. */
  tidy(): void {
    if (this.#keep === unlimitedRetention || this.#pruning || !this.#isDue()) return;
    const hasAddedMuch = this.#hasAddedMuch();
    this.#tidied = { at: Date.now(), added: this.state.contents.usage.added };
    this.#pruning = this.locks
      .tryHold(this.tidyLock, async () => {
        if (!hasAddedMuch && (await this.#wasTidied())) return;
        await prune(this, this.#keep);
        await this.state.notes.write(TIDIED, JSON.stringify(this.#keep));
      })
      // The next run will do it: nothing is lost when something is kept too long.
      .catch(() => {})
      .finally(() => {
        this.#pruning = undefined;
      });
  }

  async close(): Promise<void> {
    const { contents } = this.state;
    await contents.settled();
    if (contents.usage.added > 0) this.tidy();
    await this.#pruning;
    await this.state.close();
  }

  #isDue(): boolean {
    return this.#hasAddedMuch() || Date.now() - (this.#tidied?.at ?? 0) >= TIDY_EVERY_MS;
  }

  #hasAddedMuch(): boolean {
    const added = this.state.contents.usage.added - (this.#tidied?.added ?? 0);
    return added > Math.min(this.#keep.bytes / 8, MOST_UNTIDY_BYTES);
  }

  /** Whether any process has tidied with the same limits not long ago. */
  async #wasTidied(): Promise<boolean> {
    const note = await this.state.notes.read(TIDIED);
    return note?.text === JSON.stringify(this.#keep) && Date.now() - note.at <= TIDY_EVERY_MS;
  }
}

/** Short enough to be typed, and long enough that one journal never gets the same id twice. */
function newId(): string {
  let id = '';
  while (id.length < ID_LENGTH) id += ID_LETTERS[randomInt(ID_LETTERS.length)];
  return id;
}
