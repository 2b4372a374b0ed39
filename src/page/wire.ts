/** The messages between the Tool Trace page and its server. Both sides compile with these types. */
import type { TraceEvent } from '../trace/events/event.ts';

/** An event as the list gets it, without arguments and answer: the page asks for those when the user opens the call. */
export type PageEvent = Omit<TraceEvent, 'arguments' | 'answer'> & {
  /** Arguments and answer were recorded. */
  contents?: true;
};

export interface About {
  version: string;
  /** The directories that are served; empty where the events of all servers are shown. */
  roots: string[];
  /** The name of the token. */
  who: string;
  /** Whether this token may undo anything at all. */
  mayUndo: boolean;
  /** What to give to clients on the server's machine; only for a token without limits. */
  clients?: readonly ClientConfig[];
}

export interface ClientConfig {
  /** Which clients take it. */
  name: string;
  text: string;
}

export type ChangeKind = 'created' | 'changed' | 'removed' | 'moved';

export interface PageOrigin {
  session?: string;
  who?: string;
  dialect?: string;
  tool?: string;
}

/** An entry of the journal, without where its contents are kept. */
export interface PageEntry {
  id: string;
  at: number;
  roots: string[];
  origin: PageOrigin;
  changes: { kind: ChangeKind; path: string; to?: string }[];
  /** How many changes there are besides these. */
  moreChanges?: number;
  state: 'pending' | 'done' | 'undone';
  /** The entry that this one took back. */
  undoes?: string;
  /** Found by comparing before and after a command. */
  found?: true;
}

export interface PageDiff {
  path: string;
  to?: string;
  kind: ChangeKind;
  /** A unified diff; empty when there is none to show. */
  text: string;
  note?: string;
}

export interface PageObstacle {
  path: string;
  why: string;
  /** What the entry left there → what is there now. */
  diff?: string;
  forceable: boolean;
}

export interface PagePlan {
  steps: { path: string; does: string }[];
  /** How many steps there are besides these. */
  moreSteps?: number;
  obstacles: PageObstacle[];
  /** What undoing would change now. */
  diffs: PageDiff[];
}

export interface EntryDetails {
  entry: PageEntry;
  diffs: PageDiff[];
  /** Missing when there is nothing to undo: it was undone, or is still under way. */
  plan?: PagePlan;
  /** The entry that took this one back and stands: to undo that one is to redo this one. */
  undoneBy?: string;
  /** Whether this token may undo it, or redo it. */
  mayUndo: boolean;
}

/** The entries that are undone now, the newest ones first. */
export interface UndoneEntries {
  undone: string[];
}

/** `entry` is the one that took the other back. */
export type PageUndoOutcome = { done: true; entry: PageEntry } | { done: false; obstacles: PageObstacle[] };

/** The header that says after which event of the live stream a list of events ends. */
export const CURSOR_HEADER = 'Page-Cursor';
