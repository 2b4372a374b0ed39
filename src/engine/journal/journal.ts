/**
 * The journal: every change of a file, with what is needed to take it back.
 *
 * It lives in a state directory of the user's, never inside a directory that is served, and may be shared by
 * several servers.
 */
import { randomInt } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Store } from '../../state/directory/contents.ts';
import { LineLog } from '../../state/directory/line-log.ts';
import { ifNobodyElse, whenNobodyElse } from '../access/locks.ts';
import type { JournalEntry, Origin } from './entries/entry.ts';
import { findEntry, findUndosOf, readEntries, readForgotten } from './entries/read-entries.ts';
import { JournalRecording, type RecordingParts } from './record/journal-recorder.ts';
import { type Keep, keepAll, makeRoom, prune, usualKeep } from './retention/retention.ts';

const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const ID_LENGTH = 10;
const TIDY_EVERY_MS = 6 * 3_600_000;
const LOOK_AGAIN_MS = 1000;
const MOST_UNTIDY_BYTES = 64 * 1024 * 1024;

export class Journal {
  /** The state directory. */
  readonly directory: string;
  readonly log: LineLog;
  readonly store: Store;

  readonly #keep: Keep;
  #pruning: Promise<void> | undefined;
  /** What the lines take, and when that was looked at. */
  #lines: { at: number; bytes: number } | undefined;
  /** When this process has last tidied, and how much it had added by then. */
  #tidied: { at: number; added: number } | undefined;

  constructor(directory: string, keep: Keep = usualKeep) {
    this.directory = directory;
    this.#keep = keep;
    this.log = new LineLog(join(directory, 'journal'));
    this.store = new Store(directory, () => readForgotten(this.log));
  }

  /** For one call. Nothing is written unless something is changed. */
  begin(
    origin: Origin,
    more: { undoes?: string; found?: true; unrecorded?: string; call?: string } = {},
    onChange?: RecordingParts['onChange'],
  ): JournalRecording {
    const head = { e: newId(), at: Date.now(), by: origin, ...more };
    return new JournalRecording({
      log: this.log,
      store: this.store,
      most: this.most,
      head,
      ...(onChange && { onChange }),
    });
  }

  /** All entries, oldest first. */
  entries(): readonly JournalEntry[] {
    return readEntries(this.log);
  }

  /** One entry, in a time that does not grow with the journal. */
  entry(id: string): JournalEntry | undefined {
    return findEntry(this.log, id)?.entry;
  }

  /** The entries that took this one back, newest first. */
  undosOf(id: string): JournalEntry[] {
    return findUndosOf(this.log, id).map(({ entry }) => entry);
  }

  /** Whether an entry was done to its end, whatever became of it later. */
  hasEnd(id: string): boolean {
    return findEntry(this.log, id)?.open === false;
  }

  /** Gives an end to an entry that was interrupted, and to which all that was missing has been added. */
  complete(id: string): void {
    const found = findEntry(this.log, id);
    if (found?.open) for (const e of found.parts) this.log.append({ e, end: 'done' });
  }

  /**
   * For an entry that is as if it had never been, without anything left to be done. Gives the id of the note,
   * or of the undo that was cut off and is continued by it.
   */
  noteUndone(entry: JournalEntry, origin: Origin, continued?: string): string {
    const call = continued === undefined ? {} : { call: continued };
    const note = this.begin(origin, { undoes: entry.id, ...call });
    note.tell([], entry.roots);
    note.end('done');
    return note.id;
  }

  /**
   * Settles when no more is kept than the size that was set. The oldest entries are given up for that, and this
   * one, which has just been made, is not.
   */
  async holdSize(entry?: string): Promise<void> {
    if (this.#keep.bytes === Number.POSITIVE_INFINITY || this.store.weight <= this.most) return;
    const makingRoom = whenNobodyElse(`tidy ${this.directory}`, this.directory, async () => {
      if (this.store.measured() <= this.most) return;
      await makeRoom(this, (this.most * 7) / 8 - this.store.coming, entry);
      this.store.measured();
    });
    // The change is made: that another process keeps the turn for itself is no reason to call it failed.
    await makingRoom.catch(() => {});
  }

  /** What contents may take: the lines of the journal have their part in the size. */
  get most(): number {
    const { bytes } = this.#keep;
    if (bytes === Number.POSITIVE_INFINITY) return bytes;
    const now = performance.now();
    if (this.#lines === undefined || now - this.#lines.at > LOOK_AGAIN_MS) {
      this.#lines = { at: now, bytes: this.log.size() };
    }
    return bytes - Math.min(this.#lines.bytes, bytes / 2);
  }

  /** Gives up what is beyond the bounds, when enough has come in since the last time. Called after changes. */
  tidy(): void {
    if (this.#keep === keepAll || this.#pruning || !this.#isUntidy()) return;
    this.#tidied = { at: Date.now(), added: this.store.added };
    this.#pruning = ifNobodyElse(`tidy ${this.directory}`, async () => {
      await prune(this, this.#keep);
      fs.writeFileSync(this.#mark, JSON.stringify(this.#keep), { mode: 0o600 });
    })
      // Another time, then: what is kept too long is no loss.
      .catch(() => {})
      .finally(() => {
        this.#pruning = undefined;
      });
  }

  async close(): Promise<void> {
    await this.store.settled();
    if (this.store.added > 0) this.tidy();
    await this.#pruning;
    this.log.close();
    this.store.close();
  }

  /** Says when and by which bounds it was last done. */
  get #mark(): string {
    return join(this.directory, 'tidied');
  }

  #isUntidy(): boolean {
    const { at = 0, added = 0 } = this.#tidied ?? {};
    if (this.store.added - added > Math.min(this.#keep.bytes / 8, MOST_UNTIDY_BYTES)) return true;
    if (Date.now() - at < TIDY_EVERY_MS) return false;
    try {
      const { mtimeMs } = fs.statSync(this.#mark);
      const sameBounds = fs.readFileSync(this.#mark, 'utf8') === JSON.stringify(this.#keep);
      return !sameBounds || Date.now() - mtimeMs > TIDY_EVERY_MS;
    } catch {
      return true;
    }
  }
}

/** Short enough to be typed, and never two alike in one journal's life. */
function newId(): string {
  let id = '';
  while (id.length < ID_LENGTH) id += ID_LETTERS[randomInt(ID_LETTERS.length)];
  return id;
}
