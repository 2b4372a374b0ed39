/**
 * What a command changes, found by comparing the directories before and after it.
 *
 * A command tells nobody what it does. What small files held is kept before it runs, as far as there is room,
 * so that most of what it changes can be undone; where that is not so, the entry says it.
 */
import { basename } from 'node:path';
import { type Caller, nobody } from '../caller.ts';
import { type Calls, tellChange } from '../calls.ts';
import type { Dir, Stat } from '../confine/dir.ts';
import { readBytesSync } from '../confine/reading.ts';
import { isWithin } from '../confine/roots.ts';
import { EngineFailure } from '../failures.ts';
import type { Change, FileImage, Removed } from './entry.ts';
import { stampOf } from './stamp.ts';
import { hashOf, type Store } from './store.ts';
import { MOST_ENTRIES, NOT_SURVEYED, type Survey, type Surveyed, survey } from './survey.ts';

const SMALL_BYTES = 256 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;
const TOO_MANY = `there are more than ${MOST_ENTRIES} entries: what the command changed was not looked for`;

/** What was known of a file's content when it had this shape. */
interface Known {
  stat: Stat;
  hash: string;
}

/** Remembers from command to command which contents are kept already. */
export class CommandWatch {
  readonly #known = new Map<string, Known>();

  /** Runs a command and enters in the journal what has changed when it is over. */
  async around<T>(calls: Calls, run: () => Promise<T>): Promise<T> {
    const { caller, journal, wall } = calls;
    const roots = wall.roots.filter(({ readOnly }) => readOnly === undefined);
    if (roots.length === 0 || (caller === nobody && journal === undefined)) return run();
    const store = journal?.store;
    const before = await survey(roots, store && this.#keeping(store, caller));
    if (before === undefined) {
      caller.noted(TOO_MANY);
      return run();
    }
    // What the tools change meanwhile has entries of its own.
    const others: Others = { paths: new Set(), trees: new Set() };
    const stop = calls.onChange((path, below) => (below ? others.trees : others.paths).add(path));
    try {
      return await run();
    } finally {
      await calls.arrivals.changesDone();
      const after = await survey(roots);
      stop();
      if (after === undefined) caller.noted(TOO_MANY);
      else await this.#enter(calls, before, after, others);
    }
  }

  async #enter(
    calls: Calls,
    before: NonNullable<Survey>,
    after: NonNullable<Survey>,
    others: Others,
  ): Promise<void> {
    const { caller, journal } = calls;
    const changes: Change[] = [];
    for (const [path, was] of before) {
      if (isOf(others, path)) continue;
      const is = after.get(path);
      if (!is || is.stat.type !== was.stat.type) changes.push(this.#removed(journal?.store, path, was));
      else if (was.stat.type === 'file')
        changes.push(...(await this.#changed(calls, path, was.stat, is.stat)));
    }
    for (const [path, is] of after) {
      const was = before.get(path);
      if (!isOf(others, path) && was?.stat.type !== is.stat.type)
        changes.push(await created(calls, path, is));
    }
    if (changes.length === 0) return;
    if (journal === undefined) return tellAll(caller, changes);
    try {
      this.#write(calls, changes, before, after);
    } catch (error) {
      // The command has run: that it cannot be undone is no reason to keep its answer back.
      tellAll(caller, changes);
      caller.noted(`what the command changed could not be entered in the journal (${codeOf(error)})`);
    }
  }

  #write(calls: Calls, changes: Change[], before: NonNullable<Survey>, after: NonNullable<Survey>): void {
    const { caller, journal } = calls;
    const root = ({ path }: Change) => (before.get(path) ?? after.get(path))!.root.real;
    const recording = journal!.begin(caller.origin, { found: true }, (change) => calls.told(change));
    recording.tell(changes, [...new Set(changes.map(root))]);
    recording.end('done');
    caller.entered(recording.id);
  }

  /** Keeps small files that are not kept already. */
  #keeping(
    store: Store,
    caller: Caller,
  ): (at: { dir: Dir; name: string; path: string }, stat: Stat) => Promise<void> {
    let room = MOST_BYTES;
    return async ({ dir, name, path }, stat) => {
      if (stat.size > SMALL_BYTES || stat.size > room) return;
      room -= stat.size;
      const known = this.#known.get(path);
      if (known && isSame(known.stat, stat) && store.has(known.hash)) return;
      this.#known.delete(path);
      const bytes = readSmall(dir, name, stat);
      if (bytes === undefined) return;
      try {
        this.#known.set(path, { stat, hash: await store.put(bytes, false) });
      } catch (error) {
        room = 0;
        caller.noted(`not everything could be kept before the command (${codeOf(error)})`);
      }
    };
  }

  #imageOf(store: Store | undefined, path: string, stat: Stat): FileImage {
    const { size, mode } = stat;
    const known = this.#known.get(path);
    if (store && known && isSame(known.stat, stat) && store.has(known.hash)) {
      return { size, mode, hash: known.hash, kept: { in: 'store' } };
    }
    const why = size > SMALL_BYTES ? 'too large to be kept before each command' : 'no room was left for it';
    return { size, mode, kept: { in: 'nowhere', why } };
  }

  #removed(store: Store | undefined, path: string, { stat, target }: Surveyed): Change {
    return { kind: 'removed', path, type: stat.type, before: this.#before(store, path, stat, target) };
  }

  #before(store: Store | undefined, path: string, stat: Stat, target: string | undefined): Removed {
    if (stat.type === 'directory' && NOT_SURVEYED.has(basename(path))) {
      return { type: 'lost', why: `${basename(path)} is not kept before each command` };
    }
    if (stat.type === 'directory') return { type: 'directory', mode: stat.mode };
    if (stat.type === 'symlink' && target !== undefined) return { type: 'symlink', target };
    if (stat.type === 'file') return { type: 'file', file: this.#imageOf(store, path, stat) };
    return { type: 'lost', why: 'a FIFO, socket or device cannot be kept' };
  }

  async #changed(calls: Calls, path: string, was: Stat, is: Stat): Promise<Change[]> {
    if (isSame(was, is)) return [];
    // Another mode or one more name is not another content.
    if (was.size > SMALL_BYTES && stampOf(was) === stampOf(is)) return [];
    const before = this.#imageOf(calls.journal?.store, path, was);
    const after = await imageNow(calls, path, is);
    // Only touched, or written with what it held before.
    if (after.hash !== undefined && after.hash === before.hash) return [];
    return [{ kind: 'changed', path, before, after }];
  }
}

async function created(calls: Calls, path: string, { stat }: Surveyed): Promise<Change> {
  const { type } = stat;
  if (type !== 'file') return { kind: 'created', path, type };
  return { kind: 'created', path, type, after: await imageNow(calls, path, stat) };
}

async function imageNow({ wall }: Calls, path: string, stat: Stat): Promise<Omit<FileImage, 'kept'>> {
  const { size, mode } = stat;
  const image = { size, mode, stamp: stampOf(stat) };
  if (size > SMALL_BYTES) return image;
  try {
    const bytes = wall.at(path, { follow: false }, ({ dir, name }) => readSmall(dir, name, stat));
    return bytes ? { size, mode, hash: await hashOf(bytes) } : image;
  } catch (error) {
    // Something that the command has left running may have removed it again.
    if (error instanceof EngineFailure) return image;
    throw error;
  }
}

/** What the tools have changed while a command ran. */
interface Others {
  paths: Set<string>;
  /** With all that was in them. */
  trees: Set<string>;
}

function isOf({ paths, trees }: Others, path: string): boolean {
  if (paths.has(path)) return true;
  for (const tree of trees) if (isWithin(path, tree)) return true;
  return false;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function readSmall(dir: Dir, name: string, expected: Stat): Buffer | undefined {
  try {
    const file = dir.open(name);
    try {
      return isSame(file.stat, expected) ? readBytesSync(file, SMALL_BYTES) : undefined;
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}

function tellAll(caller: Caller, changes: readonly Change[]): void {
  for (const change of changes) tellChange(caller, change);
}

function isSame(a: Stat, b: Stat): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}
