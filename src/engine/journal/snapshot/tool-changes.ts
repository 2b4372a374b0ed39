/** What tools changed while a command ran. These changes have their own entries and are not the command's. */
import { isWithin } from '../../confine/roots.ts';
import type { Change } from '../entries/entry.ts';
import { touchedPaths, touchesAllBelow } from '../entries/touched-paths.ts';

export class ToolChanges {
  readonly #paths = new Set<string>();
  /** Directories that were changed with everything in them. */
  readonly #trees = new Set<string>();

  add(path: string, below: boolean): void {
    (below ? this.#trees : this.#paths).add(path);
  }

  addChange(change: Change): void {
    for (const path of touchedPaths(change)) this.add(path, touchesAllBelow(change));
  }

  has(path: string): boolean {
    if (this.#paths.has(path)) return true;
    for (const tree of this.#trees) if (isWithin(path, tree)) return true;
    return false;
  }

  reachInto(directory: string): boolean {
    for (const paths of [this.#paths, this.#trees]) {
      for (const path of paths) if (isWithin(path, directory)) return true;
    }
    return false;
  }
}
