/** Resolves the globs of a call to served directories: where to search, what to exclude, which globs lead outside. */
import { resolve } from 'node:path';
import { isWithin, type Root } from '../confine/roots.ts';
import { expandBraces } from '../glob/braces.ts';
import { GlobAllowance, requireFewGlobs, requireReadableGlob, splitGlob } from '../glob/glob.ts';
import { residualGlobs } from '../glob/residual-glob.ts';
import { exclusionsBelow, readableExclusions } from './exclusions.ts';

/** A directory to search, and the globs relative to it that select files. */
export interface Source {
  directory: string;
  include: string[] | undefined;
  /** A function, so that they are computed only for the source that is searched next: there may be very many. */
  exclude: () => string[];
}

export interface Sources {
  sources: Source[];
  /** Globs that can match only outside the served directories. */
  outside: string[];
}

type Served = Pick<Root, 'given' | 'knownAs'>;

export class ServedGlobs {
  readonly #roots: readonly Served[];

  constructor(roots: readonly Served[]) {
    this.#roots = roots;
  }

  /** The directory where relative globs start. */
  get first(): string {
    return this.#roots[0]!.given;
  }

  /**
   * Where globs lead: relative ones below `directory`, absolute ones into any served directory. Without globs, the
   * only source is the whole directory. `excluded` is read as in `exclusions`.
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
   * Exclusions as globs relative to `directory`, where relative ones start. One that has no slash, or only a last one,
   * excludes entries at any depth.
   */
  exclusions(directory: string, globs: readonly string[]): string[] {
    return exclusionsBelow(this.#namesOf(directory), readableExclusions(directory, globs));
  }

  /** The directories where a glob starts, with the rest of the glob relative to each; none when it leads outside. */
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

  /** Whether everything that a glob can match is inside the served directories. */
  staysInside(glob: string): boolean {
    const { base, rest } = splitGlob(glob);
    return expandBraces(rest, Number.POSITIVE_INFINITY).every((plain) =>
      this.#isInside(resolve(this.first, base, splitGlob(plain).base)),
    );
  }

  #isInside(path: string): boolean {
    return this.#roots.some(({ knownAs }) => knownAs.some((name) => isWithin(path, name)));
  }

  /** All paths of a directory: one for each path that its root is known by. */
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
