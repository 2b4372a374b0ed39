/**
 * The history in a state directory, for programs that do not serve tools. It opens an engine on the directories of an
 * entry to plan its undo or to undo it, with the same operations that a running engine has.
 */
// Used only to check whether the same directory is still at a path; it opens nothing.
import { statSync } from 'node:fs';
import { realOf } from '../real-path.ts';
import { openState, type StateSource } from '../state/directory/open.ts';
import { asStateProblem } from '../state/directory/state-directory.ts';
import {
  type EntryFilter,
  type HistoryApi,
  selected,
  type UndoOptions,
  type UndoOutcome,
  type UndoPlan,
} from './api/history.ts';
import { type EncodingRule, readEncodingRules } from './charset/declared.ts';
import type { RootSpec } from './confine/roots.ts';
import { rawOf } from './confine/scan/raw-names.ts';
import { Wall } from './confine/wall.ts';
import { type WithheldGlobs, withheldIn } from './confine/withheld/read-rules.ts';
import type { Withheld } from './confine/withheld/withheld.ts';
import { Engine } from './engine.ts';
import { EngineFailure, type Failure, fail } from './failures.ts';
import { TextEditor } from './files/edit/text-editor.ts';
import { DeclaredEncodings } from './files/encoding/declared-encodings.ts';
import type { JournalEntry } from './journal/entries/entry.ts';
import type { EntryIndex } from './journal/entries/entry-index.ts';
import { Journal } from './journal/journal.ts';
import { type ForgetReport, forget, isThere } from './journal/retention/forget.ts';
import type { ForgetRequest } from './journal/retention/forget-selection.ts';
import { unlimitedRetention } from './journal/retention/retention-limits.ts';
import type { Obstacle } from './undo/compare.ts';
import { diffsOfEntry, type FileDiff } from './undo/diff.ts';
import { servedEntry, verdictOn } from './undo/withheld-changes.ts';

export class History {
  readonly #source: StateSource;
  /** Only for reading: code that writes opens another journal and closes it. */
  readonly #journal: Journal;
  /** What the owner withholds from the caller; undefined when the owner is the caller. */
  readonly #globs: WithheldGlobs | undefined;
  /** The encodings that the owner declares for files. */
  readonly #encodings: readonly EncodingRule[];
  /** Open engines, by the directories of the entries that they are for. */
  readonly #engines = new Map<string, OpenEngine>();
  /** Never closed: its threads do not keep the process alive. */
  readonly #editor = new TextEditor();
  #keptOpen = 0;

  constructor(source: StateSource, globs?: WithheldGlobs, encodings: readonly EncodingRule[] = []) {
    this.#source = source;
    this.#journal = openJournal(source);
    this.#globs = globs;
    this.#encodings = readEncodingRules(encodings);
  }

  /** The matching entries, newest first. */
  async entries(filter: EntryFilter = {}): Promise<JournalEntry[]> {
    const { below } = filter;
    const real = below === undefined ? filter : { ...filter, below: realPath(this.#journal, below) };
    const { entries } = await this.#read();
    const found = selected(entries, real);
    return found.flatMap((entry) => this.#served(entry) ?? []);
  }

  async entry(id: string): Promise<JournalEntry | undefined> {
    const entry = (await this.#read()).entry(id);
    return entry && this.#served(entry);
  }

  /** Works even if the entry's directories are gone, or the server may not write to them. */
  async diff(id: string): Promise<FileDiff[]> {
    const entry = await this.entry(id);
    if (!entry) return [];
    const wall = this.#wallAround(entry);
    const rules = { withheld: wall ? wall.withheld : this.#rulesFor(entry) };
    const encodings = new DeclaredEncodings(
      this.#encodings,
      wall?.roots.map(({ real }) => real),
    );
    const changes = wall ? entry.changes : entry.changes.filter((change) => !verdictOn(rules, change));
    try {
      return await diffsOfEntry({ ...(wall && { wall, encodings }), editor: this.#editor }, this.#journal, {
        ...entry,
        changes,
      });
    } catch (error) {
      throw this.#explained(error);
    } finally {
      wall?.close();
    }
  }

  async plan(id: string): Promise<UndoPlan | undefined> {
    const entry = await this.entry(id);
    if (!entry) return undefined;
    const plan = await this.#withHistory(entry, (history) => history.plan(id));
    if (plan && 'gone' in plan) return { entry, steps: [], obstacles: [plan.gone], diffs: [] };
    return plan;
  }

  async undo(id: string, options: UndoOptions = {}): Promise<UndoOutcome | undefined> {
    const entry = await this.entry(id);
    if (!entry) return undefined;
    const outcome = await this.#withHistory(entry, (history) => history.undo(id, options));
    return outcome && 'gone' in outcome ? { done: false, obstacles: [outcome.gone] } : outcome;
  }

  /** Keeps engines open while `work` plans and undoes several entries: entries of the same directories share one. */
  async keepOpen<T>(work: () => Promise<T>): Promise<T> {
    this.#keptOpen++;
    try {
      return await work();
    } finally {
      this.#keptOpen--;
      for (const open of this.#engines.values()) await this.#closeUnused(open);
    }
  }

  /** Removes kept contents for good; with `dryRun`, only reports what that would remove. */
  async forget(request: ForgetRequest, { dryRun = false } = {}): Promise<ForgetReport> {
    const journal = openJournal(this.#source);
    try {
      return await forget(journal, request, dryRun);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      await journal.close();
    }
  }

  /** Whether something is at a path, or an entry changed something there or below it. */
  async knows(path: string): Promise<boolean> {
    return isThere(path) || (await this.entries({ below: path })).length > 0;
  }

  async #withHistory<T>(
    entry: JournalEntry,
    use: (history: HistoryApi) => Promise<T>,
  ): Promise<T | { gone: Obstacle }> {
    let open: OpenEngine;
    try {
      open = this.#open(entry);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return { gone: obstacle(error.facts, entry.roots) };
    }
    open.users++;
    try {
      return await use(open.engine.history);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      open.users--;
      await this.#closeUnused(open);
    }
  }

  #open(entry: JournalEntry): OpenEngine {
    const key = JSON.stringify(entry.roots);
    const known = this.#engines.get(key);
    // An undo may have moved the directories of other entries: an open engine would still hold the old ones.
    if (known && known.identities === identitiesOf(entry.roots)) return known;
    const roots = rootsOf(entry);
    // An undo may restore Git's configuration: it was there before.
    const engine = new Engine({
      ...{ roots, allowGitConfig: true, keep: unlimitedRetention, encodings: this.#encodings },
      journal: this.#source,
      ...(this.#globs ?? { ownerAsks: true }),
    });
    const opened = { key, engine, users: 0, identities: identitiesOf(entry.roots) };
    this.#engines.set(key, opened);
    if (known) void this.#closeUnused(known);
    return opened;
  }

  /** A read-only wall around the directories of an entry; undefined when they are gone. */
  #wallAround(entry: JournalEntry): Wall | undefined {
    try {
      return new Wall(rootsOf(entry), { readOnly: true, globs: this.#globs });
    } catch (error) {
      if (error instanceof EngineFailure) return undefined;
      throw error;
    }
  }

  /** What the globs withhold in the directories of an entry, even if these are gone. */
  #rulesFor({ roots }: JournalEntry): Withheld | undefined {
    const directories = roots.map((path) => ({ path: rawOf(path), ignoreFile: undefined }));
    return this.#globs && withheldIn(directories, this.#globs);
  }

  /** An entry as callers may see it; undefined when they may see nothing of it. */
  #served(entry: JournalEntry): JournalEntry | undefined {
    if (!this.#globs) return entry;
    const wall = this.#wallAround(entry);
    try {
      return servedEntry(wall ?? { withheld: this.#rulesFor(entry) }, entry);
    } finally {
      wall?.close();
    }
  }

  async #closeUnused(open: OpenEngine): Promise<void> {
    const isCurrent = this.#engines.get(open.key) === open;
    if (open.users > 0 || (isCurrent && this.#keptOpen > 0)) return;
    if (isCurrent) this.#engines.delete(open.key);
    await open.engine.close();
  }

  async #read(): Promise<EntryIndex> {
    try {
      return await this.#journal.read();
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    return typeof this.#source === 'string' ? asStateProblem(error, this.#source) : error;
  }
}

interface OpenEngine {
  key: string;
  engine: Engine;
  users: number;
  /** Identifies the directories that were at the paths of its roots. */
  identities: string;
}

function openJournal(source: StateSource): Journal {
  return new Journal(openState(source), unlimitedRetention);
}

/** The path as the journal knows it: with all links resolved. In a fleet, it may begin with the name of a directory. */
function realPath({ state: { paths } }: Journal, below: string): string {
  return below.startsWith('=') && paths ? paths.fromShared(below) : realOf(below);
}

function identitiesOf(roots: readonly string[]): string {
  return roots
    .map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
    .map((stat) => `${stat?.dev}:${stat?.ino}`)
    .join(' ');
}

/** The journal stores roots with all links resolved, so a link in such a path is new and is not followed. */
function rootsOf({ roots }: JournalEntry): RootSpec[] {
  const unknown = roots.find((path) => path.startsWith('='));
  if (unknown !== undefined) fail({ kind: 'not-found', path: unknown, wanted: 'directory', near: [] });
  return roots.map((path) => ({ path, writable: true, straight: true }));
}

function obstacle(facts: Failure, roots: readonly string[]): Obstacle {
  const path = 'path' in facts ? facts.path : roots.join(', ');
  return { path, why: whyNotOpened(path, facts), forceable: false };
}

function whyNotOpened(path: string, { kind }: Failure): string {
  if (path.startsWith('=')) return `say where this machine has it, as DIR${path}`;
  if (kind !== 'not-a-directory') return 'the directory is no longer there, or cannot be opened';
  const real = realOf(path);
  return real === path
    ? 'a link or a file is in its place: put the directory back first'
    : `it now leads through a link to ${real}, and links are not followed: put the directory back in its place first`;
}
