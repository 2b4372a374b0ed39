/**
 * Puts right, when a sandboxed command has ended, the names by which the program is started and finds ripgrep: a mount
 * keeps files and directories in their place, but no link, and it cannot keep a name from appearing.
 */
import { dirname, join, relative, sep } from 'node:path';
import { type OwnLink, statAt, targetOf } from '../../confine/protect/followed-path.ts';
import { ownPackage } from '../../confine/protect/own-package.ts';
import { isWithin, type Root } from '../../confine/roots.ts';
import type { Wall } from '../../confine/wall.ts';
import type { RunResult } from '../process/run.ts';
import { renameRefused, withNotes } from './rename-refused.ts';

const WHY_LINK = 'the running Cofferdam program is started by that name';
const WHY_MISSING = 'the next start of Cofferdam would run a program from there';

export class OwnNamesGuard {
  readonly #wall: Wall;
  /** What there was before the first of several overlapping commands: none may adopt what another made. */
  #overlap: { running: number; before: ReadonlySet<string> } | undefined;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** The result of the command, with a note at the end of its standard error for each name that was put right. */
  async guard(run: () => Promise<RunResult>): Promise<RunResult> {
    this.#overlap ??= { running: 0, before: new Set(this.#filled()) };
    const overlap = this.#overlap;
    overlap.running++;
    let notes: string[] = [];
    let result: RunResult;
    try {
      result = await run();
    } finally {
      notes = [...this.#emptied(overlap.before), ...this.#linksBack()];
      overlap.running--;
      if (overlap.running === 0) this.#overlap = undefined;
    }
    return withNotes(result, notes);
  }

  /** What exists now where nothing was when the server started. */
  #filled(): string[] {
    return ownPackage().missing.flatMap((path) => this.#standingAt(path) ?? []);
  }

  #emptied(before: ReadonlySet<string>): string[] {
    return this.#filled().flatMap((path) =>
      before.has(path) ? [] : renameRefused(this.#wall, path, `${path} was made, and renamed`, WHY_MISSING),
    );
  }

  #linksBack(): string[] {
    return ownPackage().links.flatMap((link) => {
      if (this.#rootAround(link.path) === undefined) return [];
      const around = this.#standingAt(dirname(link.path), 'link');
      if (around === undefined && isThere(link)) return [];
      const replaced = around ?? link.path;
      const what = `${replaced} was replaced, and what was there renamed`;
      return [...renameRefused(this.#wall, replaced, what, WHY_LINK), ...this.#restore(link)];
    });
  }

  /** The first link on the way to a path that had none or, when anything is wanted, what is at its end. */
  #standingAt(path: string, wanted: 'anything' | 'link' = 'anything'): string | undefined {
    const root = this.#rootAround(path);
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

  /** One that a command can change. */
  #rootAround(path: string): Root | undefined {
    return this.#wall.roots.find(({ real, readOnly }) => !readOnly && isWithin(path, real));
  }

  #restore({ path, target }: OwnLink): string[] {
    try {
      const options = { straight: true, follow: false, own: true, makeParents: true };
      this.#wall.at(path, options, ({ dir, name }) => dir.symlink(target, name));
      return [`cofferdam: the link ${path} was put back: ${WHY_LINK}`];
    } catch {
      // Something else blocks the path: nothing starts from there, and no tool may make anything by that name.
      return [];
    }
  }
}

function isThere({ path, target }: OwnLink): boolean {
  return targetOf(path) === target;
}
