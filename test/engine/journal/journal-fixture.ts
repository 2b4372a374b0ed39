/** A directory with an engine and a journal next to it, for tests of undo. */
import { existsSync, statSync } from 'node:fs';
import { Engine, type EngineOptions, type JournalEntry } from '../../../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

export interface JournalFixture {
  root: string;
  state: string;
  engine: Engine;
  tree(): Tree;
  /** All entries, newest first. */
  entries(): Promise<JournalEntry[]>;
  newest(): Promise<JournalEntry>;
  undo(entry?: JournalEntry, force?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** `under`: where the directory is; `keptUnder`: where the journal is. */
export interface JournalFixtureOptions extends Partial<EngineOptions> {
  under?: string;
  keptUnder?: string;
}

const SHARED_MEMORY = '/dev/shm';

/** A directory on another file system than that of the tests' own disk; undefined where there is none. */
export const otherFileSystem =
  existsSync(SHARED_MEMORY) && statSync(SHARED_MEMORY).dev !== statSync(process.env.COFFERDAM_TESTS_DISK!).dev
    ? SHARED_MEMORY
    : undefined;

export function openJournalFixture(tree: Tree, options: JournalFixtureOptions = {}): JournalFixture {
  const outside = temporaryDirectory(options.under);
  const kept = temporaryDirectory(options.keptUnder);
  layOut(outside.path, tree);
  const roots = [{ path: outside.path, writable: true }];
  const engine = new Engine({ ...options, roots, journal: kept.path });
  const entries = () => engine.history.entries();
  return {
    root: outside.path,
    state: kept.path,
    engine,
    tree: () => readBack(outside.path),
    entries,
    newest: async () => (await entries())[0]!,
    async undo(entry, force = false) {
      const { id } = entry ?? lastOpen(await entries());
      const outcome = await engine.history.undo(id, { force });
      if (!outcome?.done) throw new Error(`cannot be undone: ${JSON.stringify(outcome)}`);
    },
    async close() {
      await engine.close();
      outside.remove();
      kept.remove();
    },
  };
}

function lastOpen(entries: readonly JournalEntry[]): JournalEntry {
  return entries.find(({ state, undoes }) => state !== 'undone' && undoes === undefined)!;
}
