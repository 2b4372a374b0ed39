/**
 * Records the changes of one call. The recorder first keeps what is there and writes a line that says what the call
 * will do; then the call does it; then another line says that it was done.
 *
 * So a crash at any moment leaves either nothing changed, or an entry with which the change can be undone.
 */
import type { SetAside } from '../../../state/contents.ts';
import type { Log } from '../../../state/log.ts';
import { StateUnavailable } from '../../../state/state.ts';
import type { Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { errorCode } from '../../error-code.ts';
import { atOnce, inTurns, type Steps, type Yielder } from '../../event-loop.ts';
import { EngineFailure, type EntryType, fail } from '../../failures.ts';
import type { ChangeRecorder, CreatedFacts, NewContent } from '../../files/recorder.ts';
import { contentNamesToUndo, keepsAll } from '../entries/contents-needed.ts';
import { type Change, isMadeParent } from '../entries/entry.ts';
import type { Line } from '../entries/line.ts';
import { touchedPaths } from '../entries/touched-paths.ts';
import type { Store } from '../store.ts';
import { captureRemoved, keepFile } from './capture.ts';
import { contentMoved, createdChange, factsOfMoved, imageOf, removedChange } from './change-facts.ts';
import type { EntryQuota } from './entry-quota.ts';
import { isKept } from './is-kept.ts';

/** New contents up to this size are kept so that diffs can show them. */
const SHOWN_BYTES = 1024 * 1024;
/** How many changes one line holds when they are recorded after the fact. */
const CHANGES_PER_LINE = 256;
/** What the quota would say about an empty directory, which needs no room. */
const NOTHING = { bytes: 0, why: undefined };

export interface RecorderParts {
  log: Log<Line>;
  store: Store;
  /** How much the entry may keep. */
  quota: EntryQuota;
  /** The facts of the first line. */
  head: Line & { e: string };
  /** Called with each change after it is done. */
  onChange?(change: Change): void;
}

/** files/recorder.ts says when an operation calls which method. */
export class JournalRecorder implements ChangeRecorder {
  readonly active = true;
  readonly #parts: RecorderParts;
  readonly #roots = new Set<string>();
  readonly #writtenRoots = new Set<string>();
  readonly #changes: Change[] = [];
  /** The last change of each path. */
  readonly #concerned = new Map<string, Change>();
  /** The contents that an undo needs and that may not be in the store yet. */
  readonly #unstored = new Set<string>();
  /** The new contents of files by path, which are stored for diffs when the call has ended. */
  readonly #shown = new Map<string, Buffer>();
  #begun = false;
  /** The paths of changes that a line announces and the call has not begun. */
  readonly #planned = new Set<string>();
  /** How many steps have begun to change the disk and were not taken back. */
  #started = 0;
  /** How many of the changes were reported. */
  #reported = 0;
  #closed = false;
  #givenUp = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** The id of the entry that this recorder writes to. */
  get id(): string {
    const { e, call } = this.#parts.head;
    return call ?? e;
  }

  /** Whether there is an entry that can be undone. */
  get kept(): boolean {
    return this.#begun && !this.#givenUp;
  }

  /** The paths whose changes cannot be undone because the journal did not keep what was there. */
  get notKept(): string[] {
    return this.#changes.filter((change) => !keepsAll(change)).map(({ path }) => path);
  }

  concerns(path: string): boolean {
    return this.#concerned.has(path);
  }

  get part(): string {
    return this.#parts.head.e;
  }

  lastChangeOf(path: string): Change | undefined {
    return this.#concerned.get(path);
  }

  makesParent(path: string, root: string): void {
    this.#roots.add(root);
    // A step that is retried may make the directory a second time.
    if (this.#concerned.has(path)) return;
    try {
      this.#write([{ kind: 'created', path, type: 'directory', parent: true }]);
    } catch (error) {
      failToKeep(path, error);
    }
  }

  creates(place: Place, type: EntryType, facts: CreatedFacts = {}): Promise<void> {
    const { bytes, mode } = facts;
    return this.#keepAndWrite(place, bytes === undefined, async () => {
      const image = bytes && (await imageOf(bytes, mode ?? 0o666 & ~process.umask()));
      this.#willShow(place, bytes);
      return createdChange(place, type, image ? { ...facts, image } : facts);
    });
  }

  becomes(place: Place, type: EntryType, facts: CreatedFacts): void {
    try {
      this.#write([createdChange(place, type, facts)], true);
    } catch {
      // The entry is valid without these facts.
    }
  }

  async replaces(
    place: Place,
    old: Stat,
    known: Buffer | undefined,
    content: NewContent,
    mode = old.mode,
  ): Promise<Buffer | undefined> {
    let kept: Buffer | undefined;
    const { store, quota } = this.#parts;
    const { why } = await quota.take(place, old);
    await this.#keepAndWrite(place, !Buffer.isBuffer(content), async () => {
      const before = await keepFile(store, place, old, { known, most: quota.file, why });
      kept = before.bytes;
      this.#willShow(place, Buffer.isBuffer(content) ? content : undefined);
      const after = Buffer.isBuffer(content) ? await imageOf(content, mode) : { ...content, mode };
      return { kind: 'changed', path: place.path, before: before.image, after };
    });
    return kept;
  }

  async removes(place: Place, old: Stat, must?: 'empty'): Promise<SetAside | undefined> {
    const { store, quota } = this.#parts;
    const { why, bytes } = must === undefined ? await quota.take(place, old) : NOTHING;
    const keeps = must === undefined && why === undefined;
    const aside = keeps && store.isOnDevice(old.dev) ? store.aside() : undefined;
    if (aside) store.addedAside(bytes);
    await this.#keepAndWrite(place, true, async () => {
      if (aside) return removedChange(place, old, { type: 'aside', name: aside.name });
      return removedChange(place, old, await captureRemoved(store, place, old, { most: quota.file, why }));
    });
    return aside;
  }

  async cannotSetAside(place: Place, old: Stat): Promise<void> {
    const { store, quota } = this.#parts;
    await this.#keepAndWrite(place, true, async () =>
      removedChange(place, old, await captureRemoved(store, place, old, { most: quota.file })),
    );
  }

  async moves(
    from: Place,
    to: Place,
    source: Stat,
    occupant: Stat | undefined,
    known?: Buffer,
  ): Promise<void> {
    this.#roots.add(to.root.real);
    const { store, quota } = this.#parts;
    const why = occupant && (await quota.take(to, occupant)).why;
    return this.#keepAndWrite(from, true, async () => {
      const replaced = occupant && (await captureRemoved(store, to, occupant, { most: quota.file, why }));
      const bytes = known ?? (await contentMoved(from, source));
      this.#willShow(to, bytes);
      const facts = await factsOfMoved(from, source, bytes, to.dir.stat().dev === source.dev);
      const change: Change = { kind: 'moved', path: from.path, to: to.path, type: source.type, ...facts };
      return replaced ? { ...change, replaced } : change;
    });
  }

  begins(): void {
    this.#started++;
    this.#planned.clear();
  }

  tookBack(): void {
    this.#started--;
  }

  /** Reports the changes in turns. Otherwise `end` reports them all at once, and there may be thousands. */
  report(yielder: Yielder): void | Promise<void> {
    return inTurns(this.#reporting(), yielder);
  }

  *#reporting(): Steps<void> {
    for (; this.#reported < this.#changes.length; yield) {
      this.#parts.onChange?.(this.#changes[this.#reported++]!);
    }
  }

  /**
   * Writes the last line. A call that failed before it did anything leaves no entry; a call that fails later leaves its
   * entry open.
   */
  end(how: 'done' | 'failed'): void {
    if (!this.#begun || this.#closed) return;
    this.#closed = true;
    if (how === 'done' || this.#started > 0) atOnce(this.#reporting());
    if (how === 'failed' && this.#started > 0) return;
    this.#givenUp = how === 'failed';
    this.#writeEnd(how);
    if (how === 'done') this.#keepShown();
  }

  /** Stores new contents for diffs. They must not take room that is needed to undo something. */
  #keepShown(): void {
    const { store, quota } = this.#parts;
    let { left } = quota;
    for (const bytes of this.#shown.values()) {
      left -= bytes.length;
      if (left >= 0) store.contents.putLater(bytes);
    }
  }

  /** The change has been made already, so a failure here is ignored and the entry stays open. */
  #writeEnd(end: 'done' | 'failed'): void {
    try {
      this.#parts.log.append({ e: this.#parts.head.e, end });
    } catch {}
  }

  /** Records changes that have happened already, such as those of a command. */
  add(changes: readonly Change[], roots: readonly string[]): void {
    for (const root of roots) this.#roots.add(root);
    this.#write(changes);
  }

  /** Like `add`, for very many changes: writes several lines, in as many turns as they take. */
  async addInTurns(changes: readonly Change[], roots: readonly string[], yielder: Yielder): Promise<void> {
    for (let at = 0; at < changes.length; at += CHANGES_PER_LINE) {
      if (yielder.isDue) await yielder.pause();
      this.add(changes.slice(at, at + CHANGES_PER_LINE), roots);
      // Marks them as made. Otherwise, if a path was removed and then created, its second change would replace the
      // first.
      this.begins();
    }
  }

  #willShow({ path }: Place, bytes: Buffer | undefined): void {
    if (bytes && bytes.length <= SHOWN_BYTES) this.#shown.set(path, bytes);
    else this.#shown.delete(path);
  }

  async flushed(place: Place): Promise<void> {
    const { log, store } = this.#parts;
    const names = [...this.#unstored];
    try {
      // Does not wait for contents that only diffs need; storing those may fail.
      await Promise.all([log.flush(), store.contents.stored(names)]);
      for (const name of names) this.#unstored.delete(name);
    } catch (error) {
      failToKeep(place.shown, error);
    }
  }

  async #keepAndWrite(place: Place, flush: boolean, keep: () => Promise<Change>): Promise<void> {
    this.#roots.add(place.root.real);
    try {
      const { store } = this.#parts;
      let change = await keep();
      this.#write([change]);
      // Another process may have removed a content after `keep` found it and before the line named it.
      while (!(await isKept(store, change))) {
        change = await keep();
        this.#write([change]);
      }
    } catch (error) {
      failToKeep(place.shown, error);
    }
    if (flush) await this.flushed(place);
  }

  #write(changes: readonly Change[], again = false): void {
    const { log, head } = this.#parts;
    const roots = [...this.#roots].filter((root) => !this.#writtenRoots.has(root));
    for (const root of roots) this.#writtenRoots.add(root);
    const facts = this.#begun ? { e: head.e } : head;
    // An earlier line planned a change of this path that was never made: this line replaces it.
    const instead = again || changes.some(({ path }) => this.#planned.has(path));
    log.append({
      ...facts,
      ...(roots.length > 0 && { roots }),
      did: [...changes],
      ...(instead && { instead }),
    });
    this.#begun = true;
    for (const name of contentNamesToUndo(changes)) this.#unstored.add(name);
    for (const change of changes) {
      for (const path of touchedPaths(change)) this.#concerned.set(path, change);
      const before = instead ? this.#changes.findLastIndex(({ path }) => path === change.path) : -1;
      if (before >= 0) this.#changes.splice(before, 1, change);
      else this.#changes.push(change);
      // A change that is written again has been made already.
      if (!again && !isMadeParent(change)) this.#planned.add(change.path);
    }
  }
}

/** Fails the call: it may not change what the journal cannot keep. */
function failToKeep(path: string, error: unknown): never {
  if (error instanceof EngineFailure) throw error;
  if (error instanceof StateUnavailable) fail({ kind: 'state-unavailable', path }, error);
  fail({ kind: 'io', path, action: 'keep the old content of', code: errorCode(error) }, error);
}
