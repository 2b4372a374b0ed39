/** The caller that the engine works for, and that learns what the engine touches. */
import type { Change, Origin } from './journal/entries/entry.ts';

/** What was done at a path; `refused` when it was not allowed. */
export type How =
  | 'read'
  | 'listed'
  | 'searched'
  | 'looked-at'
  | 'ran-in'
  | 'created'
  | 'changed'
  | 'removed'
  | 'moved-from'
  | 'moved-to'
  | 'refused';

export interface PathAccess {
  /** Absolute, with all links resolved. A path that led nowhere is as it was written. */
  path: string;
  how: How;
  bytes?: number;
  /** How many hard links the file has, when it has more than one. */
  links?: number;
}

/** A call that has arrived. Until it has named its paths, nobody knows which later calls must wait for it. */
export interface Arrival {
  /** Larger than the number of every earlier call. */
  readonly number: number;
  /** Settles when the call has named its paths, or has ended. */
  readonly named: Promise<void>;
  /** Lets later calls continue: those that touch the same paths now wait for the call itself. */
  markNamed(): void;
}

export interface Caller {
  /** The journal keeps it with each change. */
  readonly origin: Origin;
  /** When the call arrived, if calls may arrive before earlier ones are done; see `Engine.arrive`. */
  readonly arrival?: Arrival | undefined;
  touched(access: PathAccess): void;
  /** Called when a change gets an entry with this id in the journal. */
  entered(id: string): void;
  /** Called when a command starts, with the names of the measures that confine it. */
  confined(confinement: readonly string[]): void;
  /** Adds a note to the trace. */
  noted(note: string): void;
  /** Adds a note for the client after the answer: one sentence in square brackets. */
  readonly notedForClient?: ((note: string) => void) | undefined;
}

/** A caller without a name that listens to nothing. */
export const anonymous: Caller = {
  origin: {},
  touched: () => {},
  entered: () => {},
  confined: () => {},
  noted: () => {},
};

export function reportChanges(caller: Caller, changes: readonly Change[]): void {
  for (const change of changes) reportChange(caller, change);
}

/** Tells a caller what a change did to each of its paths. */
export function reportChange(caller: Caller, change: Change): void {
  if (change.kind !== 'moved') {
    caller.touched({ path: change.path, how: change.kind });
    return;
  }
  caller.touched({ path: change.path, how: 'moved-from' });
  caller.touched({ path: change.to, how: 'moved-to' });
}

const MOST_NAMED = 3;

/** Adds a note to the trace and to the answer. */
export function addNote(caller: Caller, note: string): void {
  caller.noted(note);
  caller.notedForClient?.(`[${note}]`);
}

/** Notes that undo cannot restore these paths. */
export function noteNotKept(caller: Caller, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  const names = `${paths.slice(0, MOST_NAMED).join(', ')}${more}`;
  addNote(caller, `undo cannot restore all of it, because not everything was kept: ${names}`);
}
