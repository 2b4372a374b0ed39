/** The engine's searches, by path: opened when the first one is asked for, ended when the engine closes. */
import { resolve } from 'node:path';
import type { Calls } from './calls.ts';
import type { Place } from './confine/place.ts';
import { isWithin } from './confine/roots.ts';
import type { Wall } from './confine/wall.ts';
import { EngineFailure, type FailureKind, fail } from './failures.ts';
import { byBytes } from './files/order.ts';
import { expandBraces } from './search/braces.ts';
import { compileGlobs, splitGlob } from './search/glob.ts';
import type { Plan } from './search/plan.ts';
import type { GrepQuery, GrepResult, SearchCall } from './search/query.ts';
import { escapeGlob, residualExclusions, residualGlobs } from './search/residual-glob.ts';
import { type Overview, Search, type WalkQuery, type WalkResult } from './search/search.ts';
import { merged } from './search-merge.ts';

/** A directory and the globs, relative to it, that say which of its files are meant and which are left out. */
export interface Source {
  directory: string;
  include: string[] | undefined;
  exclude: string[];
}

export interface Sources {
  sources: Source[];
  /** Globs that can only mean something outside. */
  outside: string[];
}

/** `outside` counts the sources that turned out to lead outside. */
export type GrepAllResult = GrepResult & { outside: number };

export class SearchDesk {
  readonly #calls: Calls;
  readonly #wall: Wall;
  /** Shared by all who search through one engine. */
  readonly #opened: { search?: Search };

  constructor(calls: Calls, opened: { search?: Search } = {}) {
    this.#calls = calls;
    this.#wall = calls.wall;
    this.#opened = opened;
  }

  as(calls: Calls): SearchDesk {
    return new SearchDesk(calls, this.#opened);
  }

  grep(path: string, query: GrepQuery, call: SearchCall = {}): Promise<GrepResult> {
    return this.#below(path, (place, search) => search.grep(place, query, call));
  }

  /** Searches several sources as if they were one: absolute paths in one order, each file once, one cap. */
  async grepAll(
    sources: readonly Source[],
    query: Omit<GrepQuery, 'include' | 'exclude'>,
    call: SearchCall = {},
  ): Promise<GrepAllResult> {
    const results: GrepResult[] = [];
    const not = { nothing: [] as string[], outside: [] as string[], unreadable: [] as string[] };
    const inTurn = oneAfterAnother(call);
    for (const source of sources) {
      const found = await inTurn((own) => this.#grepSource(source, query, own));
      if (typeof found === 'string') not[found].push(source.directory);
      else results.push(found);
    }
    const result = results.length === 1 ? results[0]! : merged(results, query);
    // A directory that may not be read can be met from above as well.
    const unreadable = [...new Set([...result.unreadable, ...not.unreadable])];
    return { ...result, unreadable, skippedUnreadable: unreadable.length, outside: not.outside.length };
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

  /**
   * Where globs lead: relative ones below `directory`, absolute ones wherever they point inside. Without globs
   * it is all below the directory. Exclusions are read as in `exclusions`, from the same directory.
   */
  sourcesOf(directory: string, globs?: readonly string[], excluded: readonly string[] = []): Sources {
    const includes = new Map<string, string[] | undefined>();
    const outside: string[] = [];
    if (globs === undefined) includes.set(directory, undefined);
    for (const glob of globs ?? []) {
      const found = this.#startsOf(directory, glob);
      if (found.length === 0) outside.push(glob);
      for (const { start, rest } of found) includes.set(start, [...(includes.get(start) ?? []), ...rest]);
    }
    const sources = [...includes].map(([start, include]) => ({
      directory: start,
      include,
      exclude: this.exclusions(directory, excluded, start),
    }));
    return { sources, outside };
  }

  /**
   * Exclusions as globs below `start`. They are read from `directory`, absolute ones as they are; one without
   * a slash, but for a last one, is meant at any depth.
   */
  exclusions(directory: string, globs: readonly string[], start: string = directory): string[] {
    const found = new Set<string>();
    for (const glob of globs) {
      const anyDepth = !glob.slice(0, -1).includes('/') && glob !== '/';
      const { base, rest } = splitGlob(anyDepth ? `**/${glob}` : glob);
      requireReadable(anyDepth ? glob : rest, glob);
      if (anyDepth) found.add(rest);
      const from = resolve(directory, base);
      for (const name of this.#namesOf(start)) {
        for (const exclusion of exclusionsBelow(name, from, rest)) found.add(exclusion);
      }
    }
    return [...found];
  }

  /** All files that the globs mean, as absolute paths. Fails for a glob that may lead outside or leads to nothing. */
  async expand(globs: readonly string[], call: SearchCall = {}): Promise<string[]> {
    const paths = new Set<string>();
    const inTurn = oneAfterAnother(call);
    for (const glob of globs) {
      const { sources } = this.sourcesOf(this.#first, [glob]);
      if (!this.#staysInside(glob)) fail({ kind: 'outside', path: glob });
      let matches = 0;
      for (const { directory, include = [] } of sources) {
        const entries = await inTurn((own) => this.#filesOf(directory, include, own));
        matches += entries.length;
        for (const { path } of entries) paths.add(within(directory, path));
      }
      if (matches === 0) fail({ kind: 'no-glob-match', pattern: glob });
    }
    return [...paths].sort(byBytes);
  }

  async close(): Promise<void> {
    await this.#opened.search?.close();
  }

  get #first(): string {
    return this.#wall.roots[0]!.given;
  }

  /** The directories where a glob starts, with what is left of it there; none when it leads outside. */
  #startsOf(directory: string, glob: string): { start: string; rest: string[] }[] {
    const { base, rest } = splitGlob(glob);
    requireReadable(rest, glob);
    const start = resolve(directory, base);
    if (this.#isInside(start)) return [{ start, rest: [rest] }];
    return this.#wall.roots.flatMap(({ given, knownAs }) => {
      const above = knownAs.filter((name) => isWithin(name, start));
      const left = new Set(above.flatMap((name) => residualGlobs(rest, name.slice(start.length))));
      return left.size > 0 ? [{ start: given, rest: [...left] }] : [];
    });
  }

  /** Whether all that a glob can mean lies inside. */
  #staysInside(glob: string): boolean {
    const { base, rest } = splitGlob(glob);
    return expandBraces(rest, Number.POSITIVE_INFINITY).every((plain) =>
      this.#isInside(resolve(this.#first, base, splitGlob(plain).base)),
    );
  }

  #isInside(path: string): boolean {
    return this.#wall.roots.some(({ knownAs }) => knownAs.some((name) => isWithin(path, name)));
  }

  /** A directory under every name that its root is known by. */
  #namesOf(directory: string): string[] {
    const names = new Set([directory]);
    for (const { knownAs } of this.#wall.roots) {
      const known = knownAs.find((name) => isWithin(directory, name));
      if (known === undefined) continue;
      for (const name of knownAs) names.add(resolve(name, `.${directory.slice(known.length)}`));
    }
    return [...names];
  }

  async #grepSource(
    { directory, include, exclude }: Source,
    query: Omit<GrepQuery, 'include' | 'exclude'>,
    call: SearchCall,
  ): Promise<GrepResult | Absence> {
    if (exclude.includes('**')) return 'nothing';
    let isFile = false;
    const search = () =>
      this.#below(directory, (place, search) => {
        isFile = place.mustExist('entry').type !== 'directory';
        if (isFile && include) fail({ kind: 'not-a-directory', path: directory });
        return search.grep(place, { ...query, include, exclude }, call);
      });
    const found = await (include ? unlessAbsent(search) : search());
    if (typeof found === 'string') return found;
    const absolute = (path: string) => (isFile ? directory : within(directory, path));
    return {
      ...found,
      files: found.files.map(({ path, lines }) => ({ path: absolute(path), lines })),
      unreadable: found.unreadable.map(absolute),
      longLines: found.longLines.map(absolute),
    };
  }

  async #filesOf(
    directory: string,
    globs: readonly string[],
    call: SearchCall,
  ): Promise<WalkResult['entries']> {
    const found = await unlessAbsent(() => this.glob(directory, { globs }, call));
    if (found === 'outside') fail({ kind: 'outside', path: directory });
    if (found === 'unreadable') fail({ kind: 'permission', path: directory, action: 'read' });
    return found === 'nothing' ? [] : found.entries;
  }

  async #below<T>(path: string, use: (place: Place, search: Search) => Promise<T>): Promise<T> {
    await this.#calls.arrivals.changesDone();
    this.#opened.search ??= new Search();
    const { search } = this.#opened;
    return this.#calls.lookNow(path, 'searched', (place) => use(place, search));
  }
}

/** A glob that cannot be read fails as it was sent. */
function requireReadable(rest: string, sent: string): void {
  try {
    compileGlobs([sent === '' ? sent : rest]);
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== 'bad-glob') throw error;
    fail({ ...error.facts, pattern: sent });
  }
}

/** What an exclusion that starts at `from` leaves out below `directory`. */
function exclusionsBelow(directory: string, from: string, rest: string): string[] {
  if (isWithin(directory, from)) return residualExclusions(rest, directory.slice(from.length));
  if (!isWithin(from, directory)) return [];
  const below = from.slice(directory === '/' ? 1 : directory.length + 1);
  return [`${escapeGlob(below)}/${rest}`];
}

/** Why there is nothing where a glob starts: no such directory, a link that leads outside, no leave to read. */
type Absence = 'nothing' | 'outside' | 'unreadable';

const ABSENCES: Partial<Record<FailureKind, Absence>> = {
  'not-found': 'nothing',
  'not-a-directory': 'nothing',
  outside: 'outside',
  permission: 'unreadable',
};

async function unlessAbsent<T>(search: () => Promise<T>): Promise<T | Absence> {
  try {
    return await search();
  } catch (error) {
    const absence = error instanceof EngineFailure ? ABSENCES[error.facts.kind] : undefined;
    if (absence === undefined) throw error;
    return absence;
  }
}

/** Several searches as one call: they share its time, and its progress only grows. */
function oneAfterAnother(call: SearchCall): <T>(search: (own: SearchCall) => Promise<T>) => Promise<T> {
  const { timeoutMs, onProgress } = call;
  const began = performance.now();
  const done = { files: 0, matches: 0 };
  return async (search) => {
    let last = { files: 0, matches: 0 };
    const own: SearchCall = {
      ...call,
      timeoutMs: timeoutMs && Math.max(1, timeoutMs - (performance.now() - began)),
      onProgress:
        onProgress &&
        ((now) => {
          last = now;
          onProgress({ files: done.files + now.files, matches: done.matches + now.matches });
        }),
    };
    try {
      return await search(own);
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.facts.kind !== 'timeout') throw error;
      return fail({ ...error.facts, ms: timeoutMs ?? error.facts.ms });
    } finally {
      done.files += last.files;
      done.matches += last.matches;
    }
  };
}

function within(directory: string, path: string): string {
  return `${directory === '/' ? '' : directory}/${path}`;
}
