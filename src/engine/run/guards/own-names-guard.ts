/**
 * Repairs the names by which Cofferdam is started and finds ripgrep, after a sandboxed command. A mount protects files
 * and directories, but not links, and it cannot prevent a new name.
 */
import { dirname, join, relative, sep } from 'node:path';
import { statAt, targetOf } from '../../confine/probe-path.ts';
import type { OwnLink } from '../../confine/protect/followed-path.ts';
import { ownPackage } from '../../confine/protect/own-package.ts';
import { isWithin, type Root } from '../../confine/roots.ts';
import { STRAIGHT, type Wall } from '../../confine/wall.ts';
import type { RunResult } from '../process/run.ts';
import { Overlap } from './overlap.ts';
import { renameRefused, withNotes } from './rename-refused.ts';

const WHY_LINK = 'the running Cofferdam program is started by that name';
const WHY_NEW = 'the next start of Cofferdam would run a program from there';

export class OwnNamesGuard {
  readonly #wall: Wall;
  readonly #overlap = new Overlap<ReadonlySet<string>>();

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** The result of the command, with a note at the end of its standard error for each name that the server repaired. */
  guard(run: () => Promise<RunResult>): Promise<RunResult> {
    return this.#overlap.during(async (overlap) => {
      overlap.before ??= new Set(this.#newNames());
      let notes: string[] = [];
      let result: RunResult;
      try {
        result = await run();
      } finally {
        notes = [...this.#renameNew(overlap.before), ...this.#restoreLinks()];
      }
      return withNotes(result, notes);
    });
  }

  /** Paths where something exists now and nothing did when the server started. */
  #newNames(): string[] {
    return ownPackage().missing.flatMap((path) => this.#foundAt(path) ?? []);
  }

  #renameNew(before: ReadonlySet<string>): string[] {
    return this.#newNames().flatMap((path) =>
      before.has(path) ? [] : renameRefused(this.#wall, path, `${path} was made, and renamed`, WHY_NEW),
    );
  }

  #restoreLinks(): string[] {
    return ownPackage().links.flatMap((link) => {
      if (this.#writableRootOf(link.path) === undefined) return [];
      const around = this.#foundAt(dirname(link.path), 'link');
      if (around === undefined && isIntact(link)) return [];
      const replaced = around ?? link.path;
      const what = `${replaced} was replaced, and what was there renamed`;
      return [...renameRefused(this.#wall, replaced, what, WHY_LINK), ...this.#restoreLink(link)];
    });
  }

  /** The first link on a path that had none. Without one: the path itself if it exists and anything is wanted. */
  #foundAt(path: string, wanted: 'anything' | 'link' = 'anything'): string | undefined {
    const root = this.#writableRootOf(path);
    if (root === undefined) return undefined;
    let at = root.real;
    for (const name of relative(root.real, path).split(sep).filter(Boolean)) {
      at = join(at, name);
      const found = statAt(at);
      if (found === undefined) return undefined;
      if (found.isSymbolicLink()) return at;
    }
    return wanted === 'anything' ? at : undefined;
  }

  /** The root around a path, if commands can write to it. */
  #writableRootOf(path: string): Root | undefined {
    return this.#wall.roots.find(({ real, readOnly }) => !readOnly && isWithin(path, real));
  }

  #restoreLink({ path, target }: OwnLink): string[] {
    try {
      const options = { ...STRAIGHT, includeWithheld: true, makeParents: true };
      this.#wall.at(path, options, ({ dir, name }) => dir.symlink(target, name));
      return [`cofferdam: the link ${path} was put back: ${WHY_LINK}`];
    } catch {
      // Something else blocks the path. Then nothing starts from there, and no tool may make anything by that name.
      return [];
    }
  }
}

function isIntact({ path, target }: OwnLink): boolean {
  return targetOf(path) === target;
}
