/** What recording a command's changes needs of the gate that the command passes. */
import type { Caller } from '../../caller.ts';
import type { TreeScanner } from '../../confine/scan/tree-scanner.ts';
import type { Wall } from '../../confine/wall.ts';
import type { Change } from '../entries/entry.ts';
import type { Journal } from '../journal.ts';

export interface Gate {
  readonly wall: Wall;
  readonly journal: Journal | undefined;
  /** Scans the directories. */
  readonly scanner: TreeScanner;
  readonly caller: Caller;
  /** Waits until the changes that came before are through. */
  changesDone(): Promise<void>;
  /** Calls `listener` for every path that tools change, until the returned function is called. */
  onChange(listener: (path: string, below: boolean) => void): () => void;
  /** The journal has recorded a change. */
  reportChange(change: Change): void;
}
