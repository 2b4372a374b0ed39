/**
 * The journal: every change of a file, with what is needed to undo it.
 *
 * Several servers may share one: each change is a record of the log before it is made, and what the file held is in the
 * content store.
 */
import { randomInt } from 'node:crypto';
import type { Locks } from '../../state/locks.ts';
import type { Log } from '../../state/log.ts';
import type { State } from '../../state/state.ts';
import type { JournalEntry, Origin } from './entries/entry.ts';
import type { EntryIndex } from './entries/entry-index.ts';
import { EntryReader } from './entries/entry-reader.ts';
import type { Line } from './entries/line.ts';
import { linesOf } from './entries/shared-lines.ts';
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
/** The part of the size that is left for lines which came since then, by other servers too; and at most so much. */
const LINES_RESERVE = 1 / 32;
const MOST_RESERVED_BYTES = 1024 ** 2;
const MOST_UNTIDY_BYTES = 64 * 1024 * 1024;
/** How many of the parts that this server has begun the journal remembers. */
const MOST_BEGUN = 1024;
/** Says when and by which bounds somebody last tidied. */
const TIDIED = 'tidied';

export class Journal {
  readonly state: State;
  readonly log: Log<Line>;
  readonly store: Store;

  readonly #reader: EntryReader;
  readonly #keep: RetentionLimits;
  /** What bounds one entry. */
  readonly #mostOf: Pick<RetentionLimits, 'file' | 'call' | 'changesLarge'>;
  /** The newest last. */
  readonly #begun = new Set<string>();
  #pruning: Promise<unknown> | undefined;
  /** What the lines take, and when that was measured. */
  #lines: { at: number; bytes: number } | undefined;
  /** When this process last tidied or found that another one had, and how much it had added by then. */
  #tidied: { at: number; added: number } | undefined;

  constructor(state: State, keep: RetentionLimits = defaultRetention) {
    this.state = state;
    this.#keep = keep;
    this.#mostOf = { ...(state.paths && defaultSharedRetention), ...keep };
    this.log = state.log('journal', linesOf(state.paths));
    this.#reader = new EntryReader(this.log);
    this.store = new Store(state.contents, () => this.#reader.forgotten);
  }

  get locks(): Locks {
    return this.state.locks;
  }

  /** A process holds it while it removes something from the state. */
  get tidyLock(): string {
    return `tidy ${this.state.name}`;
  }

  /** For one call. Nothing is written unless something is changed. */
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

  /** Whether this server has begun the part of an entry, not long ago: its end then comes from here. */
  hasBegun(part: string): boolean {
    return this.#begun.has(part);
  }

  /** The entries, with what other processes have added. */
  read(): Promise<EntryIndex> {
    return this.#reader.read();
  }

  /** Gives an end to an entry that was interrupted, and to which all that was missing has been added. */
  async complete(id: string): Promise<void> {
    const found = (await this.read()).find(id);
    if (found?.open) this.log.append(...found.parts.map((e): Line => ({ e, end: 'done' })));
  }

  /**
   * For an entry that is as if it had never been, without anything left to be done. Gives the id of the note, or of the
   * interrupted undo that it continues.
   */
  noteUndone(entry: JournalEntry, origin: Origin, continued?: string): string {
    const call = continued === undefined ? {} : { call: continued };
    const note = this.begin(origin, { undoes: entry.id, ...call });
    note.add([], entry.roots);
    note.end('done');
    return note.id;
  }

  /**
   * Settles when the journal takes no more than the size that was set. Gives up the oldest entries for that, and never
   * this one, which has just been made.
   */
  async holdSize(entry?: string): Promise<void> {
    const { usage } = this.state.contents;
    if (this.#keep.bytes === Number.POSITIVE_INFINITY || usage.bytes <= this.most) return;
    const makingRoom = this.locks.hold([this.tidyLock], async () => {
      if ((await usage.measure()) <= this.most) return;
      await makeRoom(this, (this.most * 7) / 8 - usage.pending, entry);
      await usage.measure();
    });
    // The change is made: that another process keeps the lock is no reason to call it failed.
    await makingRoom.catch(() => {});
  }

  /** What contents may take: the lines of the journal have their part in the size. */
  get most(): number {
    const { bytes } = this.#keep;
    if (bytes === Number.POSITIVE_INFINITY) return bytes;
    const now = performance.now();
    const reserved = Math.min(bytes * LINES_RESERVE, MOST_RESERVED_BYTES);
    // Quick calls fill a smaller reserve in less than that time.
    const isSmall = reserved < MOST_RESERVED_BYTES;
    if (this.#lines === undefined || isSmall || now - this.#lines.at > MEASURE_LINES_MS) {
      this.#lines = { at: now, bytes: this.log.size() };
    }
    return bytes - reserved - Math.min(this.#lines.bytes, bytes / 2);
  }

  /** What one entry may keep. */
  get quotaBounds(): QuotaBounds {
    const { file = Number.POSITIVE_INFINITY, call = Number.POSITIVE_INFINITY, changesLarge } = this.#mostOf;
    const { most } = this;
    return {
      ...(call < most ? { call, callOption: '--keep-call' } : { call: most, callOption: '--keep' }),
      ...{ file, withoutUndo: changesLarge === true },
    };
  }

  /** Gives up what is beyond the bounds, when enough has come in since the last time. Called after changes. */
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
      // The next time will do: what is kept too long is no loss.
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

  /** Some process has tidied by the same bounds not long ago. */
  async #wasTidied(): Promise<boolean> {
    const note = await this.state.notes.read(TIDIED);
    return note?.text === JSON.stringify(this.#keep) && Date.now() - note.at <= TIDY_EVERY_MS;
  }
}

/** Short enough to be typed, and never two alike in one journal's life. */
function newId(): string {
  let id = '';
  while (id.length < ID_LENGTH) id += ID_LETTERS[randomInt(ID_LETTERS.length)];
  return id;
}
