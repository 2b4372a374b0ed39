/** The sources of the page: the stored events, and a history of entries that it can undo. */
import type { History, HistoryApi } from '../../engine/index.ts';
import type { ClientConfig, PageDiff, PageEntry, PageObstacle, PageOrigin } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/events/event.ts';
import type { Recorder } from '../../trace/recorder.ts';
import { tracedUndo } from '../../trace/traced-undo.ts';

export type { ClientConfig } from '../../page/wire.ts';

export interface PageEvents {
  /** The newest events that pass the filter, at most `limit`, oldest first. */
  recent(limit: number, filter?: (event: TraceEvent) => boolean): Promise<TraceEvent[]>;
  /** Calls `onEvents` with all events that are stored from now on; gives a function that ends this. */
  follow(onEvents: (events: TraceEvent[]) => void): () => void;
}

export interface PageHistory {
  entry(id: string): Promise<PageEntry | undefined>;
  /** All known entries, newest first. */
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
  /** The configurations for clients on this machine. */
  clients?: readonly ClientConfig[];
}

const MISSING = { path: '', why: 'this entry no longer exists', forceable: false };

/**
 * If a running engine has a journal, the page undoes through that engine, with its gate, locks and trace. Otherwise it
 * opens an engine for the directories of the entry.
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
