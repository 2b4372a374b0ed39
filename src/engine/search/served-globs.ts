/** Globs of a call in the directories that are served: where they lead, what they leave out, and which lead outside. */
import { resolve } from 'node:path';
import { isWithin, type Root } from '../confine/roots.ts';
import { expandBraces } from '../glob/braces.ts';
import { GlobAllowance, requireFewGlobs, requireReadableGlob, splitGlob } from '../glob/glob.ts';
import { residualGlobs } from '../glob/residual-glob.ts';
import { exclusionsBelow, readableExclusions } from './exclusions.ts';

/** A directory and the globs, relative to it, that say which of its files are meant and which are left out. */
export interface Source {
  directory: string;
  include: string[] | undefined;
  /** Worked out when the source's turn comes: there may be many sources, and many exclusions for each. */
  exclude: () => string[];
}

export interface Sources {
  sources: Source[];
  /** Globs that can only mean something outside. */
  outside: string[];
}

type Served = Pick<Root, 'given' | 'knownAs'>;

export class ServedGlobs {
  readonly #roots: readonly Served[];

  constructor(roots: readonly Served[]) {
    this.#roots = roots;
  }

  /** Relative globs start here. */
  get first(): string {
    return this.#roots[0]!.given;
  }

  /**
   * Where globs lead: relative ones below `directory`, absolute ones wherever they point inside. Without globs
   * it is all below the directory. Exclusions are read as in `exclusions`, from the same directory.
   */
  sourcesOf(directory: string, globs?: readonly string[], excluded: readonly string[] = []): Sources {
    requireFewGlobs(globs);
    const includes = new Map<string, string[] | undefined>();
    const outside: string[] = [];
    if (globs === undefined) includes.set(directory, undefined);
    const allowance = new GlobAllowance();
    for (const glob of globs ?? []) {
      const found = this.startsOf(directory, glob, allowance);
      if (found.length === 0) outside.push(glob);
      for (const { start, rest } of found) {
        const known = includes.get(start);
        if (known) known.push(...rest);
        else includes.set(start, rest);
      }
    }
    const exclusions = readableExclusions(directory, excluded);
    const sources = [...includes].map(([start, include]) => ({
      directory: start,
      include,
      exclude: () => exclusionsBelow(this.#namesOf(start), exclusions),
    }));
    return { sources, outside };
  }

  /**
   * Exclusions as globs below `directory`. They are read from there, absolute ones as they are; one without
   * a slash, but for a last one, is meant at any depth.
   */
  exclusions(directory: string, globs: readonly string[]): string[] {
    return exclusionsBelow(this.#namesOf(directory), readableExclusions(directory, globs));
  }

  /** The directories where a glob starts, with what is left of it there; none when it leads outside. */
  startsOf(directory: string, glob: string, allowance: GlobAllowance): { start: string; rest: string[] }[] {
    const { base, rest } = splitGlob(glob);
    requireReadableGlob(glob === '' ? glob : rest, glob, allowance);
    const start = resolve(directory, base);
    if (this.#isInside(start)) return [{ start, rest: [rest] }];
    return this.#roots.flatMap(({ given, knownAs }) => {
      const above = knownAs.filter((name) => isWithin(name, start));
      const left = new Set(above.flatMap((name) => residualGlobs(rest, name.slice(start.length))));
      return left.size > 0 ? [{ start: given, rest: [...left] }] : [];
    });
  }

  /** Whether all that a glob can mean lies inside. */
  staysInside(glob: string): boolean {
    const { base, rest } = splitGlob(glob);
    return expandBraces(rest, Number.POSITIVE_INFINITY).every((plain) =>
      this.#isInside(resolve(this.first, base, splitGlob(plain).base)),
    );
  }

  #isInside(path: string): boolean {
    return this.#roots.some(({ knownAs }) => knownAs.some((name) => isWithin(path, name)));
  }

  /** A directory under every name that its root is known by. */
  #namesOf(directory: string): string[] {
    const names = new Set([directory]);
    for (const { knownAs } of this.#roots) {
      const known = knownAs.find((name) => isWithin(directory, name));
      if (known === undefined) continue;
      for (const name of knownAs) names.add(resolve(name, `.${directory.slice(known.length)}`));
    }
    return [...names];
  }
}
