/** Where the page gets what it shows and does: the stored events, and a history that can undo. */
import type { History, HistoryApi } from '../../engine/index.ts';
import type { ClientConfig, PageDiff, PageEntry, PageObstacle, PageOrigin } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/events/event.ts';
import type { Recorder } from '../../trace/recorder.ts';
import { tracedUndo } from '../../trace/traced-undo.ts';

export type { ClientConfig } from '../../page/wire.ts';

export interface PageEvents {
  /** The newest events that fit, oldest first. */
  recent(limit: number, filter?: (event: TraceEvent) => boolean): Promise<TraceEvent[]>;
  /** Calls back with events as they are stored from now on; gives a function that ends it. */
  follow(onEvents: (events: TraceEvent[]) => void): () => void;
}

export interface PageHistory {
  entry(id: string): Promise<PageEntry | undefined>;
  /** All that are known, newest first. */
  entries(): Promise<PageEntry[]>;
  diff(id: string): Promise<PageDiff[]>;
  plan(id: string): Promise<{
    steps: { path: string; does: string }[];
    obstacles: PageObstacle[];
    diffs: PageDiff[];
  }>;
  undo(
    id: string,
    options?: { force?: boolean; origin?: PageOrigin },
  ): Promise<{ done: true; entry: PageEntry } | { done: false; obstacles: PageObstacle[] }>;
}

export interface PageSources {
  events: PageEvents;
  history: PageHistory;
  /** What to give to clients on this machine. */
  clients?: readonly ClientConfig[];
}

const MISSING = { path: '', why: 'there is no such entry any more', forceable: false };

/**
 * The page undoes through the running engine where there is one with a journal: with its gate, its locks and its trace.
 * Without one, it opens an engine for the directories of the entry.
 */
export function pageHistory(history: HistoryApi | History, recorder: Recorder): PageHistory {
  return {
    entry: (id) => history.entry(id),
    entries: () => history.entries(),
    diff: (id) => history.diff(id),
    plan: async (id) => (await history.plan(id)) ?? { steps: [], obstacles: [MISSING], diffs: [] },
    undo: async (id, { force = false, origin = {} } = {}) =>
      (await tracedUndo(history, recorder, id, { force, origin })) ?? { done: false, obstacles: [MISSING] },
  };
}
