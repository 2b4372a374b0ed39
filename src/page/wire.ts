/** The messages between the Tool Trace page and its server. Both sides compile with these types. */
import type { TraceEvent } from '../trace/events/event.ts';

/** An event in the list, without arguments and answer: the page requests those when the user opens the call. */
export type PageEvent = Omit<TraceEvent, 'arguments' | 'answer'> & {
  /** The trace has the arguments and the answer. */
  contents?: true;
};

export interface About {
  version: string;
  /** The served directories; empty when the page shows the events of all servers. */
  roots: string[];
  /** The name of the token. */
  who: string;
  /** Whether this token may undo anything at all. */
  mayUndo: boolean;
  /** Configurations for clients on the server's machine; only sent to a token without limits. */
  clients?: readonly ClientConfig[];
}

export interface ClientConfig {
  /** The clients that this configuration is for. */
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

/** An entry of the journal, without the places of its contents. */
export interface PageEntry {
  id: string;
  at: number;
  roots: string[];
  origin: PageOrigin;
  changes: { kind: ChangeKind; path: string; to?: string }[];
  /** How many more changes there are. */
  moreChanges?: number;
  state: 'pending' | 'done' | 'undone';
  /** The entry that this one undid. */
  undoes?: string;
  /** The server found the changes by comparing the files before and after a command. */
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
  /** A diff from what the entry left to what is there now. */
  diff?: string;
  forceable: boolean;
}

export interface PagePlan {
  steps: { path: string; does: string }[];
  /** How many more steps there are. */
  moreSteps?: number;
  obstacles: PageObstacle[];
  /** What undoing would change now. */
  diffs: PageDiff[];
}

export interface EntryDetails {
  entry: PageEntry;
  diffs: PageDiff[];
  /** Missing when there is nothing to undo, because the entry was undone or is still in progress. */
  plan?: PagePlan;
  /** The entry that undid this one and was not undone itself: undoing that entry redoes this one. */
  undoneBy?: string;
  /** Whether this token may undo or redo the entry. */
  mayUndo: boolean;
}

/** The entries that are undone now, newest first. */
export interface UndoneEntries {
  undone: string[];
}

/** `entry` is the new entry that the undo made. */
export type PageUndoOutcome = { done: true; entry: PageEntry } | { done: false; obstacles: PageObstacle[] };

/** The header with the position in the live stream at which a list of events ends. */
export const CURSOR_HEADER = 'Page-Cursor';
