/** Where the page gets what it shows and does: the stored events, and the journal that can undo. */

import type { PageDiff, PageEntry, PageObstacle, PageOrigin } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/event.ts';

export interface PageEvents {
  /** The newest events that fit, oldest first. */
  recent(limit: number, filter?: (event: TraceEvent) => boolean): Promise<TraceEvent[]>;
  /** Calls back with events as they are stored from now on; gives a function that ends it. */
  follow(onEvents: (events: TraceEvent[]) => void): () => void;
}

export interface PageHistory {
  entry(id: string): Promise<PageEntry | undefined>;
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
}
