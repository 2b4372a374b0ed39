/** A cursor on the wall's fallback, where a directory is a path that is verified at each use. */
import { PathDir } from '../directory/path-dir.ts';
import { sameEntryIn } from '../withheld/same-entry.ts';
import { type Absence, absenceOf } from './absence.ts';
import type { Cursor, EntryFacts } from './cursor.ts';
import type { Listing } from './listing.ts';
import type { RawStat } from './packed-entries.ts';
import { rawOf, textOf } from './raw-names.ts';

export class PathCursor implements Cursor {
  readonly #root: string;
  #dir: PathDir;

  constructor(root: string) {
    this.#root = root;
    this.#dir = PathDir.hold(root);
  }

  goTo(directory: string): Absence | undefined {
    try {
      let dir = PathDir.hold(this.#root);
      for (const name of directory === '' ? [] : directory.split('/')) {
        const found = dir.enter(textOf(name));
        if (!(found instanceof PathDir)) return 'gone';
        dir = found;
      }
      this.#dir = dir;
      return undefined;
    } catch (error) {
      return absenceOf(error);
    }
  }

  list(): Listing | Absence {
    try {
      const entries = this.#dir.entries();
      return { names: entries.map(({ name }) => rawOf(name)), types: entries.map(({ type }) => type) };
    } catch (error) {
      return absenceOf(error);
    }
  }

  listInTurns(): Listing | Absence {
    return this.list();
  }

  open(name: string): number | Absence {
    try {
      return this.#dir.open(textOf(name)).fd;
    } catch (error) {
      return absenceOf(error);
    }
  }

  facts(name: string): EntryFacts | undefined {
    try {
      const stat = this.#dir.lstat(textOf(name));
      return stat && { type: stat.type, size: stat.size, mtimeMs: Number(stat.mtimeNs / 1_000_000n) };
    } catch {
      return undefined;
    }
  }

  /** A cursor that verifies a path at each use gains nothing from this: a lookup costs as much as reading the file. */
  state(): undefined {
    return undefined;
  }

  get place(): string {
    return this.#dir.handlePath;
  }

  areSame(name: string, other: string): boolean {
    return sameEntryIn(this.#dir)(name, other);
  }

  names(): readonly string[] | Absence {
    const listing = this.list();
    return typeof listing === 'string' ? listing : listing.names;
  }

  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void): void {
    for (const name of names) {
      const found = this.#dir.lstat(textOf(name));
      if (found) take(name, { ...found, size: BigInt(found.size) });
    }
  }

  linkTarget(name: string): string | undefined {
    try {
      return this.#dir.readlinkRaw(textOf(name)).toString('latin1');
    } catch {
      return undefined;
    }
  }

  close(): void {
    // Nothing is held but a path.
  }
}
