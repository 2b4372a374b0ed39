/** Refuses to move or delete a directory that holds what the owner of the server denies or hides. */
import type { Dir } from '../confine/directory/dir.ts';
import { rawNamesInTurns } from '../confine/directory/names-in-turns.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { rawOf, textOf } from '../confine/scan/raw-names.ts';
import { sameEntryIn } from '../confine/withheld/same-entry.ts';
import type { Withheld } from '../confine/withheld/withheld.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';

export async function requireNoneWithheld(
  place: Place,
  action: 'move' | 'delete',
  signal: AbortSignal | undefined,
): Promise<void> {
  const { withheld } = place;
  if (withheld === undefined || place.lstat()?.type !== 'directory') return;
  const check = new Check(place, withheld, action, new Yielder(signal));
  await place.inside((tree) => check.directory(tree, '', 0));
}

class Check {
  readonly #place: Place;
  readonly #withheld: Withheld;
  readonly #action: 'move' | 'delete';
  readonly #yielder: Yielder;

  constructor(place: Place, withheld: Withheld, action: 'move' | 'delete', yielder: Yielder) {
    this.#place = place;
    this.#withheld = withheld;
    this.#action = action;
    this.#yielder = yielder;
  }

  /** `below` is the path of the directory relative to the place, in raw names, with a `/` at its end. */
  async directory(dir: Dir, below: string, level: number): Promise<void> {
    const { shown: path } = this.#place;
    if (level > limits.treeDepth) fail({ kind: 'bad-path', path, why: 'too-deep' });
    for (const name of await attemptAsync(path, this.#action, () => rawNamesInTurns(dir, this.#yielder))) {
      await this.#yielder.pause();
      const inner = attempt(path, this.#action, () => dir.enterRaw(name));
      try {
        this.#entry(dir, below, name.toString('latin1'), inner !== undefined);
        if (inner) await this.directory(inner, `${below}${name.toString('latin1')}/`, level + 1);
      } finally {
        inner?.close();
      }
    }
  }

  #entry(dir: Dir, below: string, name: string, isDirectory: boolean): void {
    const { shown: path, path: real } = this.#place;
    const parent = `${rawOf(real)}/${below}`.slice(0, -1);
    const verdict = this.#withheld.verdictOnName(parent, name, isDirectory, sameEntryIn(dir));
    if (verdict === 'denied') fail({ kind: 'denied', path, holds: textOf(below + name) });
    if (verdict === 'hidden') fail({ kind: 'withheld', path, action: this.#action });
  }
}
