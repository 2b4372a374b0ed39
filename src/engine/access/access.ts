/**
 * Every call comes in here: in the order of arrival, one change of a file at a time, and each change into
 * the journal before it is made.
 */
import { isAbsolute, resolve as resolvePath, sep } from 'node:path';
import { type Access, type Caller, type How, nobody } from '../caller.ts';
import type { Place } from '../confine/place.ts';
import { isWithin } from '../confine/roots.ts';
import type { WalkOptions, Wall } from '../confine/wall.ts';
import { turnEnded } from '../event-loop.ts';
import { EngineFailure, type Failure, type FailureKind, fail } from '../failures.ts';
import { type Recording, unrecorded } from '../files/recorder.ts';
import type { Change } from '../journal/entries/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalRecording } from '../journal/record/journal-recorder.ts';
import type { Arrivals, Doing } from './call-order.ts';
import { inTurn } from './locks.ts';

/** A path that a change concerns. */
export interface Concerned {
  path: string;
  walk?: WalkOptions;
  how: How;
}

export interface ChangeOptions {
  signal?: AbortSignal | undefined;
  /** The entry that the change takes back. */
  undoes?: string;
  /** The entry that was cut off, and is brought to its end. */
  continues?: string | undefined;
}

/** What the calls of one engine share, whoever makes them. */
interface Openness {
  closed: boolean;
  readonly underWay: Set<Promise<unknown>>;
  /** Who hears of the paths that are changed. */
  readonly listeners: Set<OnChange>;
}

/** `below`: with all that is in it. */
type OnChange = (path: string, below: boolean) => void;

/** Kinds of failure that say: not here. */
const REFUSALS: ReadonlySet<FailureKind> = new Set([
  'outside',
  'bad-path',
  'read-only',
  'permission',
  'is-root',
  'into-itself',
] satisfies FailureKind[]);

/** Failures whose path was told already. */
const toldOf = new WeakSet<Failure>();

/** The entry of each caller who makes one call: all that it changes is one entry. */
const entryOf = new WeakMap<Caller, string>();

export class Calls {
  readonly wall: Wall;
  readonly arrivals: Arrivals;
  readonly journal: Journal | undefined;
  readonly caller: Caller;
  readonly #openness: Openness;

  constructor(
    parts: { wall: Wall; arrivals: Arrivals; journal: Journal | undefined },
    caller: Caller = nobody,
    openness: Openness = { closed: false, underWay: new Set(), listeners: new Set() },
  ) {
    this.wall = parts.wall;
    this.arrivals = parts.arrivals;
    this.journal = parts.journal;
    this.caller = caller;
    this.#openness = openness;
  }

  as(caller: Caller): Calls {
    return new Calls(this, caller, this.#openness);
  }

  /** Takes no further calls, and waits for those under way. */
  async close(): Promise<void> {
    this.#openness.closed = true;
    await Promise.allSettled(this.#openness.underWay);
  }

  /** `facts` are what is to be told of it besides its path. */
  look<T>(
    path: string,
    how: How,
    use: (place: Place) => Promise<T>,
    facts?: (result: T) => Partial<Access>,
  ): Promise<T> {
    return this.inOrder([path], 'look', () => this.lookNow(path, how, use, facts));
  }

  /** The same for what has waited for its order already. */
  async lookNow<T>(
    path: string,
    how: How,
    use: (place: Place) => Promise<T>,
    facts?: (result: T) => Partial<Access>,
  ): Promise<T> {
    try {
      return await this.wall.at(path, {}, async (place) => {
        const result = await use(place);
        this.caller.touched({ path: place.path, how, ...facts?.(result) });
        return result;
      });
    } catch (error) {
      this.failed(error, [path]);
      throw error;
    }
  }

  /** Nothing is closed under a call that has come in. */
  async inOrder<T>(paths: readonly string[], doing: Doing, call: () => Promise<T>): Promise<T> {
    const { closed, underWay } = this.#openness;
    if (closed) fail({ kind: 'cancelled' });
    const absolute = paths.map((path) => this.#absolute(path));
    // A tool may ask for thousands of things one after the other, of which none waits for anything.
    const work = this.arrivals.inOrder(absolute, doing, async () => {
      await turnEnded();
      return call();
    });
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }

  /** Resolves the places, waits for their turn, changes, and leaves nothing behind when that fails. */
  change<T>(
    concerned: readonly Concerned[],
    options: ChangeOptions,
    change: (places: Place[], recording: Recording) => Promise<T>,
  ): Promise<T> {
    const paths = concerned.map(({ path }) => path);
    return this.together(paths, options, (recording) =>
      this.changeNow(concerned, options.signal, recording, change),
    );
  }

  /** Several changes that are one entry of the journal. */
  together<T>(
    paths: readonly string[],
    options: ChangeOptions,
    change: (recording: Recording) => Promise<T>,
  ): Promise<T> {
    return this.inOrder(paths, 'change', async () => {
      const recording = this.#record(options);
      try {
        const result = await change(recording ?? unrecorded);
        recording?.end('done');
        return result;
      } catch (error) {
        recording?.end('failed');
        throw error;
      } finally {
        if (recording?.kept) this.#entered(recording);
        if (recording?.kept) await this.journal?.holdSize(recording.id);
        this.journal?.tidy();
      }
    });
  }

  /** One of several changes that are recorded together. */
  async changeNow<T>(
    concerned: readonly Concerned[],
    signal: AbortSignal | undefined,
    recording: Recording,
    change: (places: Place[], recording: Recording) => Promise<T>,
  ): Promise<T> {
    const places: Place[] = [];
    const onMake = (path: string, root: string) => recording.makesParent(path, root);
    try {
      for (const { path, walk } of concerned) {
        const place = this.wall.resolve(
          path,
          recording.active && walk?.makeParents ? { ...walk, onMake } : walk,
        );
        places.push(place);
        place.requireWritable();
      }
      const result = await inTurn(places, signal, () => change(places, recording));
      if (recording.active) this.#tellUnchanged(places, recording);
      else this.#tell(places, concerned);
      return result;
    } catch (error) {
      // What one path made may lie inside what an earlier one made.
      for (const place of places.toReversed()) place.undoParents();
      const paths = concerned.map(({ path }) => path);
      this.failed(error, paths);
      throw error;
    } finally {
      for (const place of places) place.close();
    }
  }

  #record({ undoes, continues }: ChangeOptions): JournalRecording | undefined {
    const call = continues ?? entryOf.get(this.caller);
    const more = { ...(undoes !== undefined && { undoes }), ...(call !== undefined && { call }) };
    return this.journal?.begin(this.caller.origin, more, (change) => this.told(change));
  }

  #entered({ id }: JournalRecording): void {
    if (this.caller !== nobody) entryOf.set(this.caller, id);
    this.caller.entered(id);
  }

  /** A change was entered in the journal. */
  told(change: Change): void {
    tellChange(this.caller, change);
    const below = change.kind !== 'changed' && change.type === 'directory';
    this.#announce(change.path, below && (change.kind !== 'created' || change.whole === true));
    if (change.kind === 'moved') this.#announce(change.to, below);
  }

  /** Hears of every path that is changed through this engine, until the function that is given back is called. */
  onChange(listener: OnChange): () => void {
    this.#openness.listeners.add(listener);
    return () => this.#openness.listeners.delete(listener);
  }

  #announce(path: string, below: boolean): void {
    for (const listener of this.#openness.listeners) listener(path, below);
  }

  #tell(places: readonly Place[], concerned: readonly Concerned[]): void {
    for (const [index, { path }] of places.entries()) {
      const { how } = concerned[index]!;
      this.caller.touched({ path, how });
      this.#announce(path, how === 'removed' || how === 'moved-from' || how === 'moved-to');
    }
  }

  /** What a change left as it was is not in the journal. */
  #tellUnchanged(places: readonly Place[], recording: Recording): void {
    for (const { path } of places) {
      if (!recording.concerns(path)) this.caller.touched({ path, how: 'looked-at' });
    }
  }

  /**
   * Tells the caller what could not be done, and where, so that no tool can keep a failure to itself.
   * `asked` are the paths that it was asked for.
   */
  failed(error: unknown, asked: readonly string[]): void {
    if (this.caller === nobody || !(error instanceof EngineFailure)) return;
    this.tellFailure(error.facts);
    for (const path of asked) this.caller.touched({ path: this.#named(path), how: 'looked-at' });
  }

  /** A relative path starts at `base`, or else at the first root. */
  tellFailure(facts: Failure, base = '.'): void {
    if (!('path' in facts) || toldOf.has(facts)) return;
    toldOf.add(facts);
    const how = REFUSALS.has(facts.kind) ? 'refused' : 'looked-at';
    this.caller.touched({ path: this.#named(facts.path, base), how });
  }

  /** A path that led nowhere, below the name that its root has in everything that is told. */
  #named(path: string, base = '.'): string {
    const { roots } = this.wall;
    const absolute = asItReads(resolvePath(roots[0]!.real, base), path);
    for (const { real, knownAs } of roots) {
      const name = knownAs.find((each) => isWithin(absolute, each));
      if (name !== undefined && name !== real) return `${real}${absolute.slice(name.length)}`;
    }
    return absolute;
  }

  /** A path as it reads, without a look at the disk. */
  #absolute(path: string): string {
    return resolvePath(this.wall.roots[0]!.given, path);
  }
}

/** Behind a name that may be a link, `..` leads elsewhere than it reads: there it stays. */
function asItReads(base: string, path: string): string {
  const names = path.split(sep);
  const first = names.findIndex((name) => name !== '' && name !== '.' && name !== '..');
  if (first < 0 || !names.slice(first).includes('..')) return resolvePath(base, path);
  const start = resolvePath(base, names.slice(0, first).join(sep) || (isAbsolute(path) ? sep : '.'));
  return `${start === sep ? '' : start}${sep}${names.slice(first).join(sep)}`;
}

export function tellChange(caller: Caller, change: Change): void {
  if (change.kind !== 'moved') {
    caller.touched({ path: change.path, how: change.kind });
    return;
  }
  caller.touched({ path: change.path, how: 'moved-from' });
  caller.touched({ path: change.to, how: 'moved-to' });
}
