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
import type { Change, FileImage, Removed } from './entry.ts';
import { changesThatMade, imageNow } from './made.ts';
import { Others } from './others.ts';
import { Renames } from './renames.ts';
import { isSame, readSmall, SMALL_BYTES } from './small-content.ts';
import { stampOf } from './stamp.ts';
import type { Store } from './store.ts';
import { isOther, MOST_ENTRIES, NOT_SURVEYED, type Survey, type Surveyed, survey } from './survey.ts';

const MOST_BYTES = 32 * 1024 * 1024;
const TOO_MANY = `there are more than ${MOST_ENTRIES} entries: what the command changed was not looked for`;
const UNREACHABLE = 'its name is not valid UTF-8, and such names are not kept before a command';

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
    const others = new Others();
    const stop = calls.onChange((path, below) => others.add(path, below));
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
    const renames = new Renames(before, after, (path, was) =>
      isKept(this.#before(journal?.store, path, was)),
    );
    const changes: Change[] = [];
    for (const [path, was] of before) {
      if (others.have(path) || renames.isOldName(path) || renames.wentAlong(path)) continue;
      const is = after.get(path);
      if (!is || isOther(was, is)) changes.push(this.#removed(journal?.store, path, was));
      else if (was.stat.type === 'file') changes.push(...(await this.#changed(calls, path, was, is)));
    }
    for (const [from, to] of renames.all) {
      if (others.have(from) || others.have(to)) continue;
      changes.push(await moved(calls, from, to, after.get(to)!));
    }
    changes.push(...(await changesThatMade(calls, { before, after, renames, others })));
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

  #removed(store: Store | undefined, path: string, was: Surveyed): Change {
    return { kind: 'removed', path, type: was.stat.type, before: this.#before(store, path, was) };
  }

  #before(store: Store | undefined, path: string, { stat, link, unreachable }: Surveyed): Removed {
    if (unreachable) return { type: 'lost', why: UNREACHABLE };
    if (stat.type === 'directory' && NOT_SURVEYED.has(basename(path))) {
      return { type: 'lost', why: `${basename(path)} is not kept before each command` };
    }
    if (stat.type === 'directory') return { type: 'directory', mode: stat.mode };
    if (stat.type === 'symlink' && link !== undefined) return { type: 'symlink', ...link };
    if (stat.type === 'file') return { type: 'file', file: this.#imageOf(store, path, stat) };
    return { type: 'lost', why: 'a FIFO, socket or device cannot be kept' };
  }

  async #changed(calls: Calls, path: string, surveyed: Surveyed, { stat: is }: Surveyed): Promise<Change[]> {
    const { stat: was, unreachable } = surveyed;
    if (isSame(was, is)) return [];
    // Another mode or one more name is not another content.
    if (was.size > SMALL_BYTES && stampOf(was) === stampOf(is)) return [];
    const before: FileImage = unreachable
      ? { size: was.size, mode: was.mode, kept: { in: 'nowhere', why: UNREACHABLE } }
      : this.#imageOf(calls.journal?.store, path, was);
    const after = await imageNow(calls, path, is);
    // Only touched, or written with what it held before.
    if (after.hash !== undefined && after.hash === before.hash) return [];
    return [{ kind: 'changed', path, before, after }];
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

async function moved(calls: Calls, path: string, to: string, { stat }: Surveyed): Promise<Change> {
  const { type } = stat;
  const file = type === 'file' ? await imageNow(calls, to, stat) : undefined;
  return { kind: 'moved', path, to, type, ...(file && { file }) };
}

/** Whether it can be put back as it was. */
function isKept(removed: Removed): boolean {
  return removed.type === 'file' ? removed.file.kept.in !== 'nowhere' : removed.type !== 'lost';
}

function tellAll(caller: Caller, changes: readonly Change[]): void {
  for (const change of changes) tellChange(caller, change);
}
