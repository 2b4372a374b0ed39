/**
 * One call's changes on their way into the journal: first what stands there is kept and a line says what
 * will be done, then it is done, then a line says that it was.
 *
 * So a crash at any moment leaves either nothing changed, or an entry by which the change can be undone.
 */

import { hashOf, type SetAside, type Store } from '../../../state/directory/contents.ts';
import type { LineLog } from '../../../state/directory/line-log.ts';
import type { Stat } from '../../confine/dir.ts';
import type { Place } from '../../confine/place.ts';
import { EngineFailure, type EntryType, fail } from '../../failures.ts';
import type { CreatedFacts, NewContent, Recording } from '../../files/recorder.ts';
import { namesOf } from '../entries/contents-needed.ts';
import type { Change, FileImage, LinkTarget, Removed } from '../entries/entry.ts';
import { targetOf } from '../entries/link-target.ts';
import { captureRemoved, keepFile, LARGE_BYTES, readOrUndefined } from './capture.ts';
import { failTooHeavy, weightAt } from './size-to-keep.ts';
import { stampOf } from './stamp.ts';

/** Larger contents are not kept for a diff alone. */
const SHOWN_BYTES = 1024 * 1024;

export interface RecordingParts {
  log: LineLog;
  store: Store;
  /** So many bytes may be kept at most, of one entry as of all. */
  most: number;
  /** The first line's facts. */
  head: { e: string; call?: string } & Record<string, unknown>;
  /** Called with each change, once it is done. */
  onChange?(change: Change): void;
}

export class JournalRecording implements Recording {
  readonly active = true;
  readonly #parts: RecordingParts;
  readonly #roots = new Set<string>();
  readonly #told = new Set<string>();
  readonly #changes: Change[] = [];
  /** The paths of the changes. */
  readonly #concerned = new Set<string>();
  /** The contents that changes need and that are not known to be in the store. */
  readonly #unstored = new Set<string>();
  /** What files became, to be kept for the diff once it is done. */
  readonly #shown = new Map<string, Buffer>();
  #begun = false;
  /** Told, and not yet begun. */
  readonly #planned = new Set<string>();
  #done = 0;
  #closed = false;
  #givenUp = false;
  #weight = 0;

  constructor(parts: RecordingParts) {
    this.#parts = parts;
  }

  /** Of the entry that it is a part of. */
  get id(): string {
    const { e, call } = this.#parts.head;
    return call ?? e;
  }

  /** Whether there is an entry that can be undone. */
  get kept(): boolean {
    return this.#begun && !this.#givenUp;
  }

  concerns(path: string): boolean {
    return this.#concerned.has(path);
  }

  makesParent(path: string, root: string): void {
    this.#roots.add(root);
    try {
      this.#write([{ kind: 'created', path, type: 'directory', parent: true }]);
    } catch (error) {
      failToKeep(path, error);
    }
  }

  creates(place: Place, type: EntryType, facts: CreatedFacts = {}): Promise<void> {
    const { bytes, mode } = facts;
    return this.#keeping(place, bytes === undefined, async () => {
      const image = bytes && (await imageOf(bytes, mode ?? 0o666 & ~process.umask()));
      this.#willShow(place, bytes);
      return createdChange(place, type, image ? { ...facts, image } : facts);
    });
  }

  becomes(place: Place, type: EntryType, facts: CreatedFacts): void {
    try {
      this.#write([createdChange(place, type, facts)], true);
    } catch {
      // The entry stands without it.
    }
  }

  async replaces(
    place: Place,
    old: Stat,
    known: Buffer | undefined,
    content: NewContent,
  ): Promise<Buffer | undefined> {
    let kept: Buffer | undefined;
    this.#requireRoom(place, old.size);
    await this.#keeping(place, !Buffer.isBuffer(content), async () => {
      const before = await keepFile(this.#parts.store, place, old, { known });
      kept = before.bytes;
      const { mode } = old;
      this.#willShow(place, Buffer.isBuffer(content) ? content : undefined);
      const after = Buffer.isBuffer(content) ? await imageOf(content, mode) : { ...content, mode };
      return { kind: 'changed', path: place.path, before: before.image, after };
    });
    return kept;
  }

  async removes(place: Place, old: Stat, must?: 'empty'): Promise<SetAside | undefined> {
    const { store } = this.#parts;
    const bytes = must === undefined ? await this.#weigh(place, old) : 0;
    const aside = must === undefined && store.isOnDevice(old.dev) ? store.aside() : undefined;
    if (aside) store.weighs(bytes);
    await this.#keeping(place, true, async () => ({
      kind: 'removed',
      path: place.path,
      type: old.type,
      before: aside
        ? { type: 'aside', name: aside.name }
        : await captureRemoved(this.#parts.store, place, old),
    }));
    return aside;
  }

  async cannotSetAside(place: Place, old: Stat): Promise<void> {
    await this.#keeping(place, true, async () => ({
      kind: 'removed',
      path: place.path,
      type: old.type,
      before: await captureRemoved(this.#parts.store, place, old),
    }));
  }

  async moves(
    from: Place,
    to: Place,
    source: Stat,
    occupant: Stat | undefined,
    known?: Buffer,
  ): Promise<void> {
    this.#roots.add(to.root.real);
    if (occupant) await this.#weigh(to, occupant);
    return this.#keeping(from, true, async () => {
      const replaced = occupant && (await captureRemoved(this.#parts.store, to, occupant));
      const bytes = known ?? (await contentMoved(from, source));
      this.#willShow(to, bytes);
      const facts = await factsOfMoved(from, source, bytes, to.dir.stat().dev === source.dev);
      const change: Change = { kind: 'moved', path: from.path, to: to.path, type: source.type, ...facts };
      return replaced ? { ...change, replaced } : change;
    });
  }

  /** Refused when it could not be kept with the rest of this entry. */
  async #weigh(place: Place, old: Stat): Promise<number> {
    const bytes = this.#parts.most === Number.POSITIVE_INFINITY ? old.size : await weightAt(place, old);
    this.#requireRoom(place, bytes);
    return bytes;
  }

  #requireRoom({ shown }: Place, bytes: number): void {
    const { most } = this.#parts;
    if (this.#weight + bytes > most) failTooHeavy(shown, this.#weight + bytes, most);
    this.#weight += bytes;
  }

  begins(): void {
    this.#done++;
    this.#planned.clear();
  }

  tookBack(): void {
    this.#done--;
  }

  /** The last line. What failed before anything was done is no entry; what failed in the middle stays open. */
  end(how: 'done' | 'failed'): void {
    if (!this.#begun || this.#closed) return;
    this.#closed = true;
    if (how === 'done' || this.#done > 0) for (const change of this.#changes) this.#parts.onChange?.(change);
    if (how === 'failed' && this.#done > 0) return;
    this.#givenUp = how === 'failed';
    this.#writeEnd(how);
    if (how === 'done') this.#keepShown();
  }

  /** What is only kept to be shown must not take the room of anything else. */
  #keepShown(): void {
    const { store, most } = this.#parts;
    let left = Math.min(most - this.#weight, most / 8);
    for (const bytes of this.#shown.values()) {
      left -= bytes.length;
      if (left >= 0) store.putLater(bytes);
    }
  }

  /** What was done is done: where there is no room for the last line, the entry stays open. */
  #writeEnd(end: 'done' | 'failed'): void {
    try {
      this.#parts.log.append({ e: this.#parts.head.e, end });
    } catch {}
  }

  /** Facts about something that has happened already, as a command's changes. */
  tell(changes: readonly Change[], roots: readonly string[]): void {
    for (const root of roots) this.#roots.add(root);
    this.#write(changes);
  }

  #willShow({ path }: Place, bytes: Buffer | undefined): void {
    if (bytes && bytes.length <= SHOWN_BYTES) this.#shown.set(path, bytes);
    else this.#shown.delete(path);
  }

  async flushed(place: Place): Promise<void> {
    const { log, store } = this.#parts;
    const names = [...this.#unstored];
    try {
      await Promise.all([log.flush(), store.stored(names)]);
      for (const name of names) this.#unstored.delete(name);
    } catch (error) {
      failToKeep(place.shown, error);
    }
  }

  async #keeping(place: Place, flush: boolean, keep: () => Promise<Change>): Promise<void> {
    this.#roots.add(place.root.real);
    try {
      const { store } = this.#parts;
      let change = await keep();
      this.#write([change]);
      // Found in the store before the line was written, a content may have been given up in between.
      while (!isKept(store, change)) {
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
    const roots = [...this.#roots].filter((root) => !this.#told.has(root));
    for (const root of roots) this.#told.add(root);
    const facts = this.#begun ? { e: head.e } : head;
    // Planned before and not done: what is told now stands in its place.
    const instead = again || changes.some(({ path }) => this.#planned.has(path));
    log.append({ ...facts, ...(roots.length > 0 && { roots }), did: changes, ...(instead && { instead }) });
    this.#begun = true;
    for (const name of namesOf(changes)) this.#unstored.add(name);
    for (const change of changes) {
      this.#concerned.add(change.path);
      if (change.kind === 'moved') this.#concerned.add(change.to);
      const before = instead ? this.#changes.findLastIndex(({ path }) => path === change.path) : -1;
      if (before >= 0) this.#changes.splice(before, 1, change);
      else this.#changes.push(change);
      // Told again is what has been done already.
      if (!again && (change.kind !== 'created' || !change.parent)) this.#planned.add(change.path);
    }
  }
}

/** Large files are moved without being read. */
async function contentMoved(at: Place, { type, size }: Stat): Promise<Buffer | undefined> {
  return type === 'file' && size < LARGE_BYTES ? readOrUndefined(at) : undefined;
}

/** Enough to tell later whether it is still what was moved. */
async function factsOfMoved(
  { dir, name }: Place,
  source: Stat,
  bytes: Buffer | undefined,
  staysItself: boolean,
): Promise<{ file?: Omit<FileImage, 'kept'>; link?: LinkTarget }> {
  const { type, size, mode } = source;
  if (type === 'symlink') return { link: targetOf(dir, name) };
  if (type !== 'file') return {};
  if (bytes) return { file: await imageOf(bytes, mode) };
  // Within one file system it is the same file under another name; elsewhere only its size is the same.
  return { file: staysItself ? { size, mode, stamp: stampOf(source) } : { size, mode } };
}

async function imageOf(bytes: Buffer, mode: number): Promise<Omit<FileImage, 'kept'>> {
  return { size: bytes.length, mode, hash: await hashOf(bytes) };
}

function createdChange(place: Place, type: EntryType, facts: CreatedFacts): Change {
  const { image, link, whole, stamp } = facts;
  return {
    kind: 'created',
    path: place.path,
    type,
    ...(image && { after: image }),
    ...(link && { link }),
    ...(whole && { whole }),
    ...(stamp !== undefined && { stamp }),
  };
}

function isKept(store: Store, change: Change): boolean {
  const isImageKept = ({ kept, hash }: FileImage) => {
    if (kept.in === 'aside') return store.statAside(kept.name) !== undefined;
    return kept.in !== 'store' || store.has(hash!);
  };
  const isRemovedKept = (what: Removed): boolean => {
    if (what.type === 'file') return isImageKept(what.file);
    return what.type !== 'tree' || what.entries.every(({ removed }) => isRemovedKept(removed));
  };
  if (change.kind === 'changed') return isImageKept(change.before);
  if (change.kind === 'removed') return isRemovedKept(change.before);
  return change.kind !== 'moved' || change.replaced === undefined || isRemovedKept(change.replaced);
}

/** What cannot be kept is not changed. */
function failToKeep(path: string, error: unknown): never {
  if (error instanceof EngineFailure) throw error;
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  fail({ kind: 'io', path, action: 'keep the old content of', code }, error);
}
