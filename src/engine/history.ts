/**
 * The history in a state directory, for those who serve nothing: an engine is opened on the directories of
 * an entry when it is looked at closely or undone.
 */
import { type Caller, nobody } from './caller.ts';
import { Engine } from './engine.ts';
import { EngineFailure } from './failures.ts';
import { type EntryFilter, selected, type UndoOutcome, type UndoPlan } from './history-desk.ts';
import type { JournalEntry } from './journal/entry.ts';
import { diffsOfEntry, type FileDiff } from './journal/entry-diff.ts';
import { Journal } from './journal/journal.ts';
import { keepAll } from './journal/keeping.ts';
import { realOf } from './journal/state-directory.ts';

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

  /** Also of an entry whose directories are gone. */
  async diff(id: string): Promise<FileDiff[]> {
    const entry = await this.entry(id);
    if (!entry) return [];
    const diffs = await this.#on(entry, nobody, (engine) => engine.history.diff(id));
    return 'gone' in diffs ? this.#reading((journal) => diffsOfEntry(undefined, journal, entry)) : diffs;
  }

  async plan(id: string): Promise<UndoPlan | undefined> {
    const entry = await this.entry(id);
    if (!entry) return undefined;
    const plan = await this.#on(entry, nobody, (engine) => engine.history.plan(id));
    if (plan && 'gone' in plan) return { entry, steps: [], obstacles: [obstacle(plan.gone)], diffs: [] };
    return plan;
  }

  async undo(
    id: string,
    { force = false, caller = nobody }: { force?: boolean; caller?: Caller } = {},
  ): Promise<UndoOutcome | undefined> {
    const entry = await this.entry(id);
    if (!entry) return undefined;
    const outcome = await this.#on(entry, caller, (engine) => engine.history.undo(id, { force }));
    return outcome && 'gone' in outcome ? { done: false, obstacles: [obstacle(outcome.gone)] } : outcome;
  }

  async #on<T>(
    entry: JournalEntry,
    caller: Caller,
    use: (engine: Engine) => Promise<T>,
  ): Promise<T | { gone: string }> {
    const roots = entry.roots.map((path) => ({ path, writable: true }));
    let engine: Engine;
    try {
      engine = new Engine({ roots, journal: this.#directory, keep: keepAll });
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return { gone: 'path' in error.facts ? String(error.facts.path) : entry.roots.join(', ') };
    }
    try {
      return await use(engine.as(caller));
    } finally {
      await engine.close();
    }
  }

  async #reading<T>(read: (journal: Journal) => T | Promise<T>): Promise<T> {
    const journal = new Journal(this.#directory, keepAll);
    try {
      return await read(journal);
    } finally {
      await journal.close();
    }
  }
}

function obstacle(path: string) {
  return { path, why: 'the directory is no longer there, or cannot be opened', forceable: false };
}
