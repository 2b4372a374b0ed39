/**
 * The one gate to the files, for searches and commands too. It has two verbs: `read` and `change`.
 *
 * Here calls get their order, changes get their locks and their entry in the journal, and the caller learns which paths
 * a call touched. Only the history's diffs and undo plans go around the gate, because they change nothing.
 */
import { machineLocks } from '../../state/directory/locks.ts';
import type { Locks } from '../../state/locks.ts';
import type { Arrival, Caller, How } from '../caller.ts';
import { anonymous, noteNotKept, reportChange } from '../caller.ts';
import { rawOf } from '../confine/scan/raw-names.ts';
import type { TreeScanner } from '../confine/scan/tree-scanner.ts';
import type { Wall } from '../confine/wall.ts';
import { Yielder, yieldIfDue } from '../event-loop.ts';
import { EngineFailure, type Failure, type FailureKind, fail } from '../failures.ts';
import { DeclaredEncodings } from '../files/encoding/declared-encodings.ts';
import { noRecorder } from '../files/recorder.ts';
import { tidyHeapInPauses } from '../heap.ts';
import type { Change } from '../journal/entries/entry.ts';
import { touchedPaths, touchesAllBelow } from '../journal/entries/touched-paths.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalRecorder } from '../journal/record/journal-recorder.ts';
import { CommandSnapshots } from '../journal/snapshot/command-changes.ts';
import { CallOrder, type Verb } from './call-order.ts';
import { Changes } from './changes.ts';
import { type OpenPlace, openPlace } from './open-place.ts';
import { reportedPath } from './reported-path.ts';

export interface AccessOptions {
  /** False for work that may take long: it waits for earlier changes, but no later call waits for it. */
  blocksLaterCalls?: boolean;
  /**
   * True for a read with which a call finds out which paths it needs. Later calls keep waiting until the call has named
   * them (call-order.ts).
   */
  onlyPrepares?: boolean;
}

export interface ChangeOptions {
  signal?: AbortSignal | undefined;
  /** The entry that this change undoes. */
  undoes?: string;
  /** The id of an interrupted entry that this change completes. */
  continues?: string | undefined;
}

/**
 * `below`: everything in the directory changed too. `listed`: the path itself may be new or gone, so the listing of its
 * parent changed.
 */
export type ChangeListener = (path: string, below: boolean, listed: boolean) => void;

/** What all callers of one engine share. */
interface SharedByCallers {
  closed: boolean;
  readonly order: CallOrder;
  /** How many calls are running. */
  running: number;
  /** Called when the last running call ends. */
  readonly whenIdle: (() => void)[];
  readonly listeners: Set<ChangeListener>;
  /** Undefined until the first command. */
  snapshots?: CommandSnapshots;
}

interface AccessParts {
  wall: Wall;
  journal: Journal | undefined;
  /** Scans the directories before and after commands. */
  scanner: TreeScanner;
  /** Default: the owner declares no encodings. */
  encodings?: DeclaredEncodings;
}

/** Kinds of failure that refuse access to a path. */
const REFUSALS: ReadonlySet<FailureKind> = new Set([
  'outside',
  'bad-path',
  'read-only',
  'denied',
  'withheld',
  'permission',
  'is-root',
  'into-itself',
] satisfies FailureKind[]);

/** Failures whose path has been reported. */
const reported = new WeakSet<Failure>();

/** The journal entry of each caller: everything a caller changes goes into one entry. */
const entryOf = new WeakMap<Caller, string>();

export class Access {
  readonly wall: Wall;
  readonly journal: Journal | undefined;
  readonly scanner: TreeScanner;
  /** Which encodings are declared for files. */
  readonly encodings: DeclaredEncodings;
  readonly caller: Caller;
  readonly #shared: SharedByCallers;

  constructor(parts: AccessParts, caller: Caller = anonymous, shared: SharedByCallers = newShared()) {
    this.wall = parts.wall;
    this.journal = parts.journal;
    this.scanner = parts.scanner;
    this.encodings = parts.encodings ?? new DeclaredEncodings();
    this.caller = caller;
    this.#shared = shared;
  }

  /** The locks of the journal, shared by all that use it. Without a journal, those of this machine. */
  get locks(): Locks {
    return this.journal?.locks ?? machineLocks;
  }

  as(caller: Caller): Access {
    return new Access(this, caller, this.#shared);
  }

  /** A gate to some of the directories, with the same order of calls and the same listeners. */
  within(wall: Wall): Access {
    const { journal, scanner, encodings } = this;
    return new Access({ wall, journal, scanner, encodings }, anonymous, newShared(this.#shared));
  }

  /** Admits no more calls, and waits for those that are running. */
  async close(): Promise<void> {
    this.#shared.closed = true;
    const { running, whenIdle } = this.#shared;
    if (running > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
    this.#shared.snapshots?.close();
  }

  /** Runs `read` after every earlier change of these paths, and passes it `open`, its only way to the disk. */
  read<T>(
    paths: readonly string[],
    { blocksLaterCalls = true, onlyPrepares = false }: AccessOptions,
    read: (open: OpenPlace) => T | Promise<T>,
  ): Promise<T> {
    const open: OpenPlace = (path, how, use, facts) => openPlace(this, { path, how, use, facts });
    const waitsFor = blocksLaterCalls ? paths : 'changes';
    return this.#admit(waitsFor, 'read', () => read(open), onlyPrepares);
  }

  /**
   * Runs `change` in order, and records all that it changes as one entry of the journal.
   *
   * `anywhere` is for commands: they may change any file in the directories and do not report what, so the gate
   * compares the directories before and after, and records the difference. No later call waits for a command.
   */
  change<T>(
    paths: readonly string[] | 'anywhere',
    options: ChangeOptions,
    change: (changes: Changes) => Promise<T>,
  ): Promise<T> {
    if (paths === 'anywhere') {
      this.#shared.snapshots ??= new CommandSnapshots();
      const { snapshots } = this.#shared;
      const run = () => change(new Changes(this, noRecorder, options.signal));
      return this.#admit('changes', 'change', () => snapshots.around(this, run));
    }
    return this.#admit(paths, 'change', async () => {
      const recorder = this.#begin(options);
      try {
        const result = await change(new Changes(this, recorder ?? noRecorder, options.signal));
        await recorder?.report(new Yielder(undefined));
        recorder?.end('done');
        noteNotKept(this.caller, recorder?.notKept ?? []);
        return result;
      } catch (error) {
        recorder?.end('failed');
        throw error;
      } finally {
        if (recorder?.kept) {
          this.#entered(recorder);
          await this.journal?.enforceSize(recorder.id);
        }
        this.journal?.tidy();
      }
    });
  }

  /** Waits until all earlier changes have ended. */
  async changesDone(): Promise<void> {
    await this.#shared.order.changesDone();
  }

  /** Calls `listener` for every path that changes through this gate, until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    this.#shared.listeners.add(listener);
    return () => this.#shared.listeners.delete(listener);
  }

  /** Tells the caller and the listeners of a change that the journal has recorded. */
  reportChange(change: Change): void {
    reportChange(this.caller, change);
    const below = touchesAllBelow(change);
    for (const path of touchedPaths(change)) this.#announce(path, below, change.kind !== 'changed');
  }

  /** Reports a change that no journal records. */
  reportAccess(path: string, how: How): void {
    this.caller.touched({ path, how });
    // Only the journal knows whether a file that was written is new, so `listed` is always true here.
    this.#announce(path, how === 'removed' || how === 'moved-from' || how === 'moved-to', true);
  }

  /** Reports what failed and the paths that the call asked for, so that no tool can hide a failure. */
  reportError(error: unknown, paths: readonly string[]): void {
    if (this.caller === anonymous || !(error instanceof EngineFailure)) return;
    this.reportFailure(error.facts);
    for (const path of paths) {
      this.caller.touched({ path: reportedPath(this.wall.roots, path), how: 'looked-at' });
    }
  }

  /** A relative path starts at `base`, or else at the first root. */
  reportFailure(facts: Failure, base?: string): void {
    if (!('path' in facts) || reported.has(facts)) return;
    reported.add(facts);
    const path = reportedPath(this.wall.roots, facts.path, base);
    // To the caller a hidden file is missing, but the trace, which the owner reads, names it.
    const isRefused =
      REFUSALS.has(facts.kind) || this.wall.withheld?.verdictOnPath(rawOf(path), false) !== undefined;
    this.caller.touched({ path, how: isRefused ? 'refused' : 'looked-at' });
  }

  /** Registers a call that has arrived; see call-order.ts. */
  arrive(): Arrival {
    return this.#shared.order.arrive();
  }

  /**
   * Lets a call in at its turn. With `waitsFor: 'changes'` the call waits for all earlier changes, and no later call
   * waits for it.
   */
  async #admit<T>(
    waitsFor: readonly string[] | 'changes',
    verb: Verb,
    call: () => T | Promise<T>,
    onlyPrepares = false,
  ): Promise<T> {
    const shared = this.#shared;
    const { order } = shared;
    const { arrival } = this.caller;
    if (shared.closed) fail({ kind: 'cancelled' });
    shared.running++;
    try {
      const named = order.earlierNamed(arrival);
      if (named) await named;
      const work = waitsFor === 'changes' ? afterChanges(order, call) : this.#inOrder(waitsFor, verb, call);
      if (!onlyPrepares) arrival?.markNamed();
      return await work;
    } finally {
      tidyHeapInPauses();
      if (--shared.running === 0) for (const idle of shared.whenIdle.splice(0)) idle();
    }
  }

  #inOrder<T>(paths: readonly string[], verb: Verb, call: () => T | Promise<T>): Promise<T> {
    const absolute = paths.map((path) => this.wall.absolute(path));
    return this.#shared.order.run(absolute, verb, () => inTurn(call));
  }

  #begin({ undoes, continues }: ChangeOptions): JournalRecorder | undefined {
    const entry = continues ?? entryOf.get(this.caller);
    const more = { ...(undoes !== undefined && { undoes }), ...(entry !== undefined && { call: entry }) };
    return this.journal?.begin(this.caller.origin, more, (change) => this.reportChange(change));
  }

  #entered({ id }: JournalRecorder): void {
    if (this.caller !== anonymous) entryOf.set(this.caller, id);
    this.caller.entered(id);
  }

  #announce(path: string, below: boolean, listed: boolean): void {
    for (const listener of this.#shared.listeners) listener(path, below, listed);
  }
}

function newShared(outer?: SharedByCallers): SharedByCallers {
  return {
    closed: false,
    order: outer?.order ?? new CallOrder(),
    running: 0,
    whenIdle: [],
    listeners: outer?.listeners ?? new Set(),
  };
}

async function afterChanges<T>(order: CallOrder, call: () => T | Promise<T>): Promise<T> {
  const done = order.changesDone();
  if (done) await done;
  return inTurn(call);
}

/** A tool may make thousands of requests that never wait; this lets other calls run in between. */
function inTurn<T>(call: () => T | Promise<T>): T | Promise<T> {
  const due = yieldIfDue();
  return due ? due.then(call) : call();
}
