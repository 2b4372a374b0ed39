/** The engine's searches, by path: opened when the first one is asked for, ended when the engine closes. */
import { resolve } from 'node:path';
import type { Place } from './confine/place.ts';
import { isWithin } from './confine/roots.ts';
import type { Wall } from './confine/wall.ts';
import { fail } from './failures.ts';
import type { Arrivals } from './files/arrivals.ts';
import { byBytes } from './files/order.ts';
import { splitGlob } from './search/glob.ts';
import type { Plan } from './search/plan.ts';
import type { FileMatches, GrepQuery, GrepResult, SearchCall } from './search/query.ts';
import { residualGlobs } from './search/residual-glob.ts';
import { type Overview, Search, type WalkQuery, type WalkResult } from './search/search.ts';

/** A directory and the globs, relative to it, that say which of its files are meant. */
export interface Source {
  directory: string;
  include: string[] | undefined;
}

export interface Sources {
  sources: Source[];
  /** Globs that can only mean something outside. */
  outside: string[];
}

export class SearchDesk {
  readonly #wall: Wall;
  readonly #arrivals: Arrivals;
  #search: Search | undefined;

  constructor(wall: Wall, arrivals: Arrivals) {
    this.#wall = wall;
    this.#arrivals = arrivals;
  }

  grep(path: string, query: GrepQuery, call: SearchCall = {}): Promise<GrepResult> {
    return this.#below(path, (place, search) => search.grep(place, query, call));
  }

  /** Searches several sources as if they were one: absolute paths in one order, each file once, one cap. */
  async grepAll(sources: readonly Source[], query: GrepQuery, call: SearchCall = {}): Promise<GrepResult> {
    const results: GrepResult[] = [];
    for (const { directory, include } of sources) {
      const found = await this.grep(directory, { ...query, include }, call);
      const absolute = ({ path, lines }: FileMatches) => ({ path: within(directory, path), lines });
      results.push({ ...found, files: found.files.map(absolute) });
    }
    return results.length === 1 ? results[0]! : merged(results, query.maxMatches);
  }

  names(path: string, query: WalkQuery & { contains: string }, call: SearchCall = {}): Promise<WalkResult> {
    return this.#below(path, (place, search) => search.names(place, query, call));
  }

  glob(
    path: string,
    query: WalkQuery & { globs: readonly string[] },
    call: SearchCall = {},
  ): Promise<WalkResult> {
    return this.#below(path, (place, search) => search.glob(place, query, call));
  }

  walk(path: string, query: WalkQuery, call: SearchCall = {}): Promise<WalkResult> {
    return this.#below(path, (place, search) => search.walk(place, query, call));
  }

  overview(path: string, query: Parameters<Search['overview']>[1], call: SearchCall = {}): Promise<Overview> {
    return this.#below(path, (place, search) => search.overview(place, query, call));
  }

  explain(path: string, query: GrepQuery): Promise<Plan> {
    return this.#below(path, (place, search) => search.explain(place, query));
  }

  /** Where globs lead: relative ones below `directory`, absolute ones wherever they point inside. */
  sourcesOf(directory: string, globs: readonly string[]): Sources {
    const relative = globs.filter((glob) => !glob.startsWith('/'));
    const sources: Source[] = relative.length > 0 ? [{ directory, include: relative }] : [];
    const outside: string[] = [];
    for (const glob of globs.filter((each) => each.startsWith('/'))) {
      const found = this.#absoluteSources(glob);
      if (found.length === 0) outside.push(glob);
      sources.push(...found);
    }
    return { sources, outside };
  }

  /** All files that the globs mean, as absolute paths. Fails for a glob that leads outside or to nothing. */
  async expand(globs: readonly string[], call: SearchCall = {}): Promise<string[]> {
    const paths = new Set<string>();
    for (const glob of globs) {
      const { sources, outside } = this.sourcesOf(this.#wall.roots[0]!.given, [glob]);
      if (outside.length > 0) fail({ kind: 'outside', path: glob });
      let matches = 0;
      for (const { directory, include } of sources) {
        const { entries } = await this.glob(directory, { globs: include ?? ['**'] }, call);
        matches += entries.length;
        for (const { path } of entries) paths.add(within(directory, path));
      }
      if (matches === 0) fail({ kind: 'no-glob-match', pattern: glob });
    }
    return [...paths].sort(byBytes);
  }

  async close(): Promise<void> {
    await this.#search?.close();
  }

  #absoluteSources(glob: string): Source[] {
    const { base, rest } = splitGlob(glob);
    if (isWithinAny(base, this.#wall)) return [{ directory: base, include: [rest] }];
    return this.#wall.roots.flatMap(({ given }) => {
      const include = residualGlobs(glob, given);
      return include.length > 0 ? [{ directory: given, include }] : [];
    });
  }

  async #below<T>(path: string, use: (place: Place, search: Search) => Promise<T>): Promise<T> {
    await this.#arrivals.changesDone();
    this.#search ??= new Search();
    const search = this.#search;
    return this.#wall.at(path, {}, (place) => use(place, search));
  }
}

function isWithinAny(path: string, wall: Wall): boolean {
  const plain = resolve('/', path);
  return wall.roots.some(({ given, real }) => isWithin(plain, given) || isWithin(plain, real));
}

function within(directory: string, path: string): string {
  return path === '' ? directory : `${directory === '/' ? '' : directory}/${path}`;
}

function merged(results: readonly GrepResult[], most: number): GrepResult {
  const files = new Map<string, FileMatches>();
  for (const file of results.flatMap((result) => result.files)) {
    if (!files.has(file.path)) files.set(file.path, file);
  }
  const kept: FileMatches[] = [];
  let matches = 0;
  for (const file of [...files.values()].sort((a, b) => byBytes(a.path, b.path))) {
    if (matches >= most) break;
    const lines = firstMatches(file.lines, most - matches);
    matches += lines.filter((line) => line.match).length;
    kept.push({ path: file.path, lines });
  }
  const total = (of: (result: GrepResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
  return {
    files: kept,
    matches,
    totalMatches: total((result) => result.totalMatches),
    truncated: results.some((result) => result.truncated) || total((result) => result.matches) > matches,
    filesSearched: total((result) => result.filesSearched),
    skippedUnreadable: total((result) => result.skippedUnreadable),
    skippedLongLines: total((result) => result.skippedLongLines),
    plan: results[0]?.plan ?? { plan: 'workers', why: 'nothing was searched' },
  };
}

/** The lines up to the last match that is wanted, with the context behind it. */
function firstMatches(lines: FileMatches['lines'], most: number): FileMatches['lines'] {
  let seen = 0;
  const next = lines.findIndex((line) => line.match && ++seen > most);
  return next < 0 ? lines : lines.slice(0, next);
}
