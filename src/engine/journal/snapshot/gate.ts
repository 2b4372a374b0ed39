/** What this folder needs of the engine's gate (`engine/access`) to record a command's changes. */
import type { Caller } from '../../caller.ts';
import type { TreeScanner } from '../../confine/scan/tree-scanner.ts';
import type { Wall } from '../../confine/wall.ts';
import type { Change } from '../entries/entry.ts';
import type { Journal } from '../journal.ts';

export interface Gate {
  readonly wall: Wall;
  readonly journal: Journal | undefined;
  readonly scanner: TreeScanner;
  readonly caller: Caller;
  /** Settles when the changes that began before this call are done. */
  changesDone(): Promise<void>;
  /**
   * Calls `listener` for every path that tools change, until the returned function is called. `below`: the change also
   * covers everything below the path.
   */
  onChange(listener: (path: string, below: boolean) => void): () => void;
  /** Called with each change that the journal has recorded. */
  reportChange(change: Change): void;
}
