/** What the tools have changed while a command ran: that has entries of its own. */
import { isWithin } from '../../confine/roots.ts';

export class ToolChanges {
  readonly #paths = new Set<string>();
  /** With all that was in them. */
  readonly #trees = new Set<string>();

  add(path: string, below: boolean): void {
    (below ? this.#trees : this.#paths).add(path);
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
