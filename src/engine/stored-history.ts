/**
 * The history in a state directory, for those who serve nothing: an engine is opened on the directories of
 * an entry when it is looked at closely or undone.
 */

import { openDirectoryState } from '../state/directory/open.ts';
import { asStateProblem, realOf } from '../state/directory/state-directory.ts';
import { type EntryFilter, selected, type UndoOutcome, type UndoPlan } from './api/history.ts';
import { anonymous, type Caller } from './caller.ts';
import type { RootSpec } from './confine/roots.ts';
import { Wall } from './confine/wall.ts';
import { Engine } from './engine.ts';
import { EngineFailure, type Failure } from './failures.ts';
import type { JournalEntry } from './journal/entries/entry.ts';
import { Journal } from './journal/journal.ts';
import { type Forgotten, forget, isThere } from './journal/retention/forget.ts';
import type { ForgetRequest } from './journal/retention/forget-selection.ts';
import { keepAll } from './journal/retention/retention.ts';
import type { Obstacle } from './undo/compare.ts';
import { diffsOfEntry, type FileDiff } from './undo/diff.ts';

export class History {
  readonly #directory: string;

  constructor(stateDirectory: string) {
    this.#directory = stateDirectory;
  }

  /** Newest first. */
  async entries(filter: EntryFilter = {}): Promise<JournalEntry[]> {
    // The journal knows paths with all links resolved.
    const { below } = filter;
    const real = below === undefined ? filter : { ...filter, below: realOf(below) };
    return this.#reading((journal) => selected(journal.entries(), real));
  }

  async entry(id: string): Promise<JournalEntry | undefined> {
    return this.#reading((journal) => journal.entries().find((entry) => entry.id === id));
  }

  /** Also of an entry whose directories are gone, and where nothing may be written. */
  async diff(id: string): Promise<FileDiff[]> {
    const entry = await this.entry(id);
    if (!entry) return [];
    const wall = wallAround(entry);
    try {
      return await this.#reading((journal) => diffsOfEntry(wall && { wall }, journal, entry));
    } finally {
      wall?.close();
    }
  }

  async plan(id: string): Promise<UndoPlan | undefined> {
    const entry = await this.entry(id);
    if (!entry) return undefined;
    const plan = await this.#on(entry, anonymous, (engine) => engine.history.plan(id));
    if (plan && 'gone' in plan) return { entry, steps: [], obstacles: [plan.gone], diffs: [] };
    return plan;
  }

  async undo(
    id: string,
    { force = false, caller = anonymous }: { force?: boolean; caller?: Caller } = {},
  ): Promise<UndoOutcome | undefined> {
    const entry = await this.entry(id);
    if (!entry) return undefined;
    const outcome = await this.#on(entry, caller, (engine) => engine.history.undo(id, { force }));
    return outcome && 'gone' in outcome ? { done: false, obstacles: [outcome.gone] } : outcome;
  }

  /** Removes what was kept, for good; with `dryRun` it only tells what that would be. */
  async forget(request: ForgetRequest, { dryRun = false } = {}): Promise<Forgotten> {
    return this.#reading((journal) => forget(journal, request, dryRun));
  }

  /** Whether something stands at a path, or was changed there or below. */
  async knows(path: string): Promise<boolean> {
    return isThere(path) || (await this.entries({ below: path })).length > 0;
  }

  async #on<T>(
    entry: JournalEntry,
    caller: Caller,
    use: (engine: Engine) => Promise<T>,
  ): Promise<T | { gone: Obstacle }> {
    const roots = rootsOf(entry);
    let engine: Engine;
    try {
      // What is put back was there before: Git's configuration may be among it.
      engine = new Engine({ roots, allowGitConfig: true, journal: this.#directory, keep: keepAll });
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return { gone: obstacle(error.facts, entry.roots) };
    }
    try {
      return await use(engine.as(caller));
    } catch (error) {
      throw asStateProblem(error, this.#directory);
    } finally {
      await engine.close();
    }
  }

  async #reading<T>(read: (journal: Journal) => T | Promise<T>): Promise<T> {
    const journal = new Journal(openDirectoryState(this.#directory), keepAll);
    try {
      return await read(journal);
    } catch (error) {
      throw asStateProblem(error, this.#directory);
    } finally {
      await journal.close();
    }
  }
}

/** The journal knows them with all links resolved: a link that stands there now leads elsewhere. */
function rootsOf({ roots }: JournalEntry): RootSpec[] {
  return roots.map((path) => ({ path, writable: true, straight: true }));
}

/** Only to be looked through; undefined when the directories are gone. */
function wallAround(entry: JournalEntry): Wall | undefined {
  try {
    return new Wall(rootsOf(entry), { readOnly: true });
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
}

function obstacle(facts: Failure, roots: readonly string[]): Obstacle {
  const path = 'path' in facts ? facts.path : roots.join(', ');
  return { path, why: whyNotOpened(path, facts), forceable: false };
}

function whyNotOpened(path: string, { kind }: Failure): string {
  if (kind !== 'not-a-directory') return 'the directory is no longer there, or cannot be opened';
  const real = realOf(path);
  return real === path
    ? 'a link or a file stands in its place: put the directory back first'
    : `it now leads over a link to ${real}, and links are not followed: put the directory back in its place first`;
}
