/** What the snapshots around a command need of the gate that the command passes. */
import type { Caller } from '../../caller.ts';
import type { Wall } from '../../confine/wall.ts';
import type { Change } from '../entries/entry.ts';
import type { Journal } from '../journal.ts';

export interface Observed {
  readonly wall: Wall;
  readonly caller: Caller;
  readonly journal: Journal | undefined;
  /** Waits until the changes that tools began before are through. */
  changesDone(): Promise<void>;
  /** Calls `listener` for every path that a tool changes; `below`: with everything in it. */
  onChange(listener: (path: string, below: boolean) => void): () => void;
  reportChange(change: Change): void;
}
