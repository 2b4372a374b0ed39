/**
 * Finds what a command changed by comparing the directories before and after it.
 *
 * A command does not report what it does. Small files are copied before it runs, as far as there is room, so that most
 * of its changes can be undone. The entry names the changes that cannot.
 */
import { tmpdir } from 'node:os';
import { addNote, anonymous, reportChanges } from '../../caller.ts';
import type { Root } from '../../confine/roots.ts';
import { errorCode } from '../../error-code.ts';
import { inTurns, Yielder } from '../../event-loop.ts';
import type { Change } from '../entries/entry.ts';
import type { Journal } from '../journal.ts';
import { noteLost, noteSnapshotProblem, noteUnknownChanges } from './caller-notes.ts';
import { createdChanges, imageNow, MOST_READ_BYTES, type ReadBudget } from './created-files.ts';
import type { Gate } from './gate.ts';
import { KeptCopies } from './kept-copies.ts';
import { OldFiles } from './old-files.ts';
import { Renames } from './renames.ts';
import {
  differing,
  type Entries,
  isReplaced,
  isTooLarge,
  type Snapshot,
  type SnapshotEntry,
  takeSnapshot,
} from './snapshot.ts';
import { SnapshotContents } from './snapshot-contents.ts';
import { ToolChanges } from './tool-changes.ts';
import { UnreadDirectories, whyNoSnapshot } from './unread-directories.ts';

/** How many bytes of small files are copied before commands. */
const MOST_COPIED_BYTES = 256 * 1024 * 1024;

interface BeforeAndAfter {
  before: Entries;
  after: Entries;
}

/** Takes snapshots around commands, and reuses the copies of small files from one command to the next. */
export class CommandSnapshots {
  readonly #copies = new KeptCopies();
  #contents: SnapshotContents | undefined;
  #wasTooLarge = false;
  /** How many commands are running: their copies may still be needed. */
  #running = 0;

  close(): void {
    this.#copies.clear();
    this.#contents?.clear();
  }

  /** Runs a command and then enters in the journal what it has changed. */
  async around<T>(gate: Gate, run: () => Promise<T>): Promise<T> {
    const { caller, journal, wall } = gate;
    const roots = wall.roots.filter(({ readOnly }) => readOnly === undefined);
    if (roots.length === 0 || (caller === anonymous && journal === undefined)) return run();
    this.#running++;
    try {
      return await this.#watch(gate, roots, run);
    } finally {
      this.#running--;
    }
  }

  async #watch<T>(gate: Gate, roots: readonly Root[], run: () => Promise<T>): Promise<T> {
    const before = await this.#before(gate, roots);
    this.#wasTooLarge = before === undefined;
    if (before === undefined) {
      const why = whyNoSnapshot(roots);
      if (this.#running === 1) this.close();
      return run().finally(() => this.#enterUnrecorded(gate, why));
    }
    // The changes that tools make meanwhile have their own entries.
    const toolChanges = new ToolChanges();
    const stop = gate.onChange((path, below) => toolChanges.add(path, below));
    const others = await this.#othersSince(gate);
    try {
      return await run();
    } finally {
      await gate.changesDone();
      const after = await takeSnapshot(gate.scanner, roots);
      stop();
      await others?.(toolChanges).catch((error: unknown) =>
        noteUnknownChanges(gate.caller, errorCode(error)),
      );
      if (after === undefined) this.#enterUnrecorded(gate, whyNoSnapshot(roots));
      else await this.#enter(gate, await differing(before, after), toolChanges);
    }
  }

  /**
   * Where other machines change the same directories, returns a function that adds what they have changed since now to
   * the changes of tools. While the database is unreachable, no other machine changes anything either.
   */
  async #othersSince({ journal }: Gate): Promise<((into: ToolChanges) => Promise<void>) | undefined> {
    if (!journal?.state.paths) return undefined;
    const known = await journal.read().then(
      (index) => new Set(index.entries.filter(({ state }) => state !== 'pending').map(({ id }) => id)),
      () => undefined,
    );
    return async (into) => {
      const { entries } = await journal.read();
      for (const { id, changes } of entries)
        if (!known?.has(id)) for (const change of changes) into.addChange(change);
    };
  }

  /** The directories before a command, with copies of small files; undefined when no snapshot can be taken. */
  async #before({ scanner, journal, caller }: Gate, roots: readonly Root[]): Promise<Snapshot | undefined> {
    if (this.#wasTooLarge && (await isTooLarge(scanner, roots))) return undefined;
    const snapshot = await takeSnapshot(scanner, roots);
    if (!snapshot || !journal) return snapshot;
    const contents = this.#contentsFor(journal);
    try {
      const problem = await this.#copies.take(snapshot, scanner, contents);
      if (problem !== undefined) noteSnapshotProblem(caller, problem);
    } catch (error) {
      noteSnapshotProblem(caller, errorCode(error));
    }
    return snapshot;
  }

  #contentsFor({ state }: Journal): SnapshotContents {
    this.#contents ??= new SnapshotContents(state.localDirectory ?? tmpdir(), MOST_COPIED_BYTES);
    // Copying all files again takes seconds in a large tree, so do it only when it pays.
    if (this.#running === 1 && this.#copies.areOutdated(this.#contents)) this.close();
    return this.#contents;
  }

  async #enter(gate: Gate, entries: BeforeAndAfter, toolChanges: ToolChanges): Promise<void> {
    const { before, after } = entries;
    const { caller, journal } = gate;
    const unread = new UnreadDirectories(before, after);
    const changes = await this.#changesIn(gate, entries, unread, toolChanges);
    if (changes.length === 0)
      return unread.note === undefined ? undefined : this.#enterUnrecorded(gate, unread.note);
    if (unread.note !== undefined) addNote(caller, unread.note);
    if (journal === undefined) return reportChanges(caller, changes);
    try {
      const entered = await this.#write(gate, changes, before, after);
      // A client that has the answer must be able to undo the command, also on another server or after a crash.
      await journal.log.flush();
      noteLost(caller, changes);
      await journal.enforceSize(entered);
    } catch (error) {
      // The command has run, and the caller gets its answer even if nothing can undo it.
      reportChanges(caller, changes);
      addNote(caller, `what the command changed could not be entered in the journal (${errorCode(error)})`);
    }
  }

  /** What the command has changed, removed, moved and created. */
  async #changesIn(
    gate: Gate,
    { before, after }: BeforeAndAfter,
    unread: UnreadDirectories,
    toolChanges: ToolChanges,
  ): Promise<Change[]> {
    const yielder = new Yielder(undefined);
    const old = new OldFiles(gate.journal, this.#contents);
    const isKept = (path: string, was: SnapshotEntry) => old.canRestore(path, was);
    const renames = await inTurns(Renames.find(before, after, isKept), yielder);
    const readBudget = { left: MOST_READ_BYTES };
    const changes: Change[] = [];
    for (const [path, was] of before) {
      if (yielder.isDue) await yielder.pause();
      if (toolChanges.has(path) || unread.hold(path)) continue;
      if (renames.isOldName(path) || renames.wentAlong(path)) continue;
      const is = after.get(path);
      if (!is || isReplaced(was, is)) changes.push(await old.removed(path, was));
      else if (was.stat.type === 'file') {
        const change = await old.changed(gate, path, was, is, readBudget);
        if (change) changes.push(change);
      }
    }
    for (const [from, to] of renames.all) {
      if (yielder.isDue) await yielder.pause();
      if (toolChanges.has(from) || toolChanges.has(to)) continue;
      changes.push(await moved(gate, from, to, after.get(to)!, readBudget));
    }
    const created = await createdChanges(gate, { before, after, unread, renames, toolChanges, readBudget });
    return [...changes, ...created];
  }

  /** Makes an entry that says why the changes are unknown: without one, it would seem that there were none. */
  #enterUnrecorded(gate: Gate, why: string): void {
    const { caller, journal, wall } = gate;
    addNote(caller, why);
    const roots = wall.roots.filter(({ readOnly }) => readOnly === undefined).map(({ real }) => real);
    try {
      const recorder = journal?.begin(caller.origin, { found: true, unrecorded: why });
      recorder?.add([], roots);
      recorder?.end('done');
      if (recorder) caller.entered(recorder.id);
    } catch {
      // The answer and the trace still say why.
    }
  }

  async #write(gate: Gate, changes: Change[], before: Entries, after: Entries): Promise<string> {
    const { caller, journal } = gate;
    const yielder = new Yielder(undefined);
    const root = ({ path }: Change) => (before.get(path) ?? after.get(path))!.root.real;
    const recorder = journal!.begin(caller.origin, { found: true }, (change) => gate.reportChange(change));
    await recorder.addInTurns(changes, [...new Set(changes.map(root))], yielder);
    await recorder.report(yielder);
    recorder.end('done');
    caller.entered(recorder.id);
    return recorder.id;
  }
}

async function moved(
  gate: Gate,
  path: string,
  to: string,
  { stat }: SnapshotEntry,
  readBudget: ReadBudget,
): Promise<Change> {
  const { type } = stat;
  const file = type === 'file' ? await imageNow(gate, to, stat, readBudget) : undefined;
  return { kind: 'moved', path, to, type, ...(file && { file }) };
}
