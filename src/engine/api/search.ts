/** Searches. The search threads start with the first search and end when the engine closes. */
import { resolve } from 'node:path';
import type { Access } from '../access/access.ts';
import type { Place } from '../confine/place.ts';
import { absolutePath } from '../confine/scan/child-path.ts';
import { filteredInTurns, Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { compileGlobs, GlobAllowance } from '../glob/glob.ts';
import { limits } from '../limits.ts';
import type { LazySearch } from '../search/lazy-search.ts';
import { type MissingStart, unlessMissing } from '../search/missing-start.ts';
import type { GrepAllQuery, GrepQuery, GrepResult, SearchCall, WalkEntry } from '../search/query.ts';
import { charactersOfResult, mergeResults } from '../search/results/merge.ts';
import { ripgrep } from '../search/ripgrep/ripgrep.ts';
import type { Overview, Search, WalkQuery, WalkResult } from '../search/search.ts';
import { grepSeries, searchSeries } from '../search/series.ts';
import { ServedGlobs, type Source, type Sources } from '../search/served-globs.ts';
import { type FilePage, type FilePageQuery, filePage, PAGED } from '../search/walk/file-page.ts';
import { openSearchRoot } from '../search/walk/search-root.ts';
import { byBytes } from '../text/byte-order.ts';

export interface Expansion {
  /** A list for each glob, in the order of the paths. */
  files: string[][];
  /** How many directories could not be read: there may be more files in them. */
  skippedUnreadable: number;
  /** How many files have names that are not UTF-8, so that no path leads to them. */
  skippedUnnameable: number;
}

/** `outside` counts the sources that turned out to lead outside. */
export type GrepAllResult = GrepResult & { outside: number };

export class SearchApi {
  readonly #access: Access;
  readonly #globs: ServedGlobs;
  /** Shared by all callers of one engine. */
  readonly #lazy: LazySearch;

  constructor(access: Access, lazy: LazySearch) {
    this.#access = access;
    this.#globs = new ServedGlobs(access.wall.roots);
    this.#lazy = lazy;
  }

  as(access: Access): SearchApi {
    return new SearchApi(access, this.#lazy);
  }

  grep(path: string, query: GrepQuery, call: SearchCall = {}): Promise<GrepResult> {
    return this.#below(path, (place, search) => {
      const { encodings, wall } = this.#access;
      const charsets = query.declaredEncodings ? encodings.scopeOf(wall, place) : undefined;
      return search.grep(place, query, { ...this.#withClient(call), charsets });
    });
  }

  /** Returns a function that runs one of several content searches. Together they have the time limit of one. */
  series(call: SearchCall): ReturnType<typeof grepSeries> {
    return grepSeries(call);
  }

  /** Searches several sources as if they were one: absolute paths in one order, each file once, under one limit. */
  async grepAll(
    sources: readonly Source[],
    query: GrepAllQuery,
    call: SearchCall = {},
  ): Promise<GrepAllResult> {
    let results: GrepResult[] = [];
    let characters = 0;
    const not = { nothing: [] as string[], outside: [] as string[], unreadable: [] as string[] };
    const { maxCharacters: most = limits.foundCharacters } = query;
    const inSeries = grepSeries(call);
    for (const source of sources) {
      const found = await inSeries((own) => this.#grepSource(source, query, own));
      if (typeof found === 'string') {
        not[found].push(source.directory);
        continue;
      }
      results.push(found);
      characters += charactersOfResult(found);
      // Each source may fill a whole answer, so merge before they take too much memory.
      if (characters > 2 * most) {
        results = [mergeResults(results, query)];
        characters = charactersOfResult(results[0]!);
      }
    }
    const fits = results.length === 1 && characters <= most;
    const result = fits ? results[0]! : mergeResults(results, query);
    // An unreadable source may also be inside another source, and must count once.
    const unreadable = [...new Set([...result.unreadable, ...not.unreadable])];
    return { ...result, unreadable, skippedUnreadable: unreadable.length, outside: not.outside.length };
  }

  names(path: string, query: WalkQuery & { contains: string }, call: SearchCall = {}): Promise<WalkResult> {
    return this.#below(path, (place, search) => search.names(place, query, this.#withClient(call)));
  }

  glob(
    path: string,
    query: WalkQuery & { globs: readonly string[] },
    call: SearchCall = {},
  ): Promise<WalkResult> {
    return this.#below(path, (place, search) => search.glob(place, query, this.#withClient(call)));
  }

  /** `onlyPrepares`: see `AccessOptions`. */
  walk(
    path: string,
    query: WalkQuery,
    call: SearchCall & { onlyPrepares?: boolean } = {},
  ): Promise<WalkResult> {
    const { onlyPrepares = false, ...own } = call;
    const walk = (place: Place, search: Search) => search.walk(place, query, this.#withClient(own));
    return this.#below(path, walk, onlyPrepares);
  }

  /** All entries below a directory that one of the globs matches, or whose name contains a text in any letter case. */
  async find(
    path: string,
    query: Omit<WalkQuery, 'include' | 'max'> & { globs: readonly string[]; contains?: string | undefined },
    call: SearchCall = {},
  ): Promise<WalkResult> {
    const { globs, contains, ...rest } = query;
    const matcher = compileGlobs(globs);
    const folded = contains?.toLowerCase();
    const yielder = new Yielder(call.signal);
    const found = await this.walk(path, rest, call);
    const isWanted = (entry: WalkEntry) =>
      matcher.matches(entry.path) ||
      (folded !== undefined && nameOf(entry.path).toLowerCase().includes(folded));
    return { ...found, entries: await filteredInTurns(found.entries, yielder, isWanted) };
  }

  overview(path: string, query: Parameters<Search['overview']>[1], call: SearchCall = {}): Promise<Overview> {
    return this.#below(path, (place, search) => search.overview(place, query, this.#withClient(call)));
  }

  /** The files below a directory that no ignore file names, page by page. */
  filePage(path: string, query: FilePageQuery): Promise<FilePage> {
    return this.#access.read([path], { blocksLaterCalls: false }, (open) =>
      open(path, 'listed', async (place) => {
        if (place.mustExist('directory').type !== 'directory') fail({ kind: 'not-a-directory', path });
        const root = openSearchRoot(place, PAGED);
        try {
          return await filePage(root, query);
        } finally {
          root.dir.close();
        }
      }),
    );
  }

  /** Where globs lead: see `ServedGlobs`. Reports each glob that leads outside as a failure. */
  sourcesOf(directory: string, globs?: readonly string[], excluded: readonly string[] = []): Sources {
    const found = this.#globs.sourcesOf(directory, globs, excluded);
    for (const glob of found.outside) {
      this.#access.reportFailure({ kind: 'outside', path: resolve(directory, glob) });
    }
    return found;
  }

  /** Exclusions that are relative to `directory`, as globs below it: see `ServedGlobs`. */
  exclusions(directory: string, globs: readonly string[]): string[] {
    return this.#globs.exclusions(directory, globs);
  }

  /**
   * The files that each of the globs means, as absolute paths. Fails for a glob that may lead outside or that matches
   * nothing.
   */
  async expand(globs: readonly string[], call: SearchCall = {}): Promise<Expansion> {
    const allowance = new GlobAllowance();
    const expanded: string[][] = [];
    const unreadable = new Set<string>();
    const unnameable = new Set<string>();
    const inSeries = searchSeries(call);
    for (const glob of globs) {
      const starts = this.#globs.startsOf(this.#globs.first, glob, allowance);
      if (!this.#globs.staysInside(glob)) fail({ kind: 'outside', path: glob });
      const paths = new Set<string>();
      const before = unnameable.size;
      for (const { start, rest } of starts) {
        const found = await inSeries((own) => this.#filesOf(start, rest, own));
        for (const { path, unnameable: not } of found?.entries ?? []) {
          (not ? unnameable : paths).add(absolutePath(start, path));
        }
        for (const path of found?.unreadable ?? []) unreadable.add(absolutePath(start, path));
      }
      const meansNone = paths.size === 0 && unnameable.size === before;
      if (meansNone) fail({ kind: 'no-glob-match', pattern: glob });
      expanded.push([...paths].sort(byBytes));
    }
    return { files: expanded, skippedUnreadable: unreadable.size, skippedUnnameable: unnameable.size };
  }

  /** Whether ripgrep helps with patterns that contain no fixed text; search works without it too. */
  async ripgrep(): Promise<{ active: boolean; says: string }> {
    const { path, says } = await ripgrep();
    return { active: path !== undefined, says };
  }

  async close(): Promise<void> {
    await this.#lazy.close();
  }

  #withClient(call: SearchCall): SearchCall {
    const { who, session } = this.#access.caller.origin;
    return { ...call, client: who ?? session };
  }

  async #grepSource(
    { directory, include, exclude }: Source,
    query: GrepAllQuery,
    call: SearchCall,
  ): Promise<GrepResult | MissingStart> {
    const excluded = exclude();
    if (excluded.includes('**')) return 'nothing';
    let isFile = false;
    const search = () =>
      this.#below(directory, (place, search) => {
        isFile = place.mustExist('entry').type !== 'directory';
        if (isFile && include) fail({ kind: 'not-a-directory', path: directory });
        return search.grep(place, { ...query, include, exclude: excluded }, this.#withClient(call));
      });
    const found = await (include ? unlessMissing(search) : search());
    if (typeof found === 'string') return found;
    const absolute = (path: string) => (isFile ? directory : absolutePath(directory, path));
    return {
      ...found,
      files: found.files.map((file) => ({ ...file, path: absolute(file.path) })),
      unreadable: found.unreadable.map(absolute),
      longLines: found.longLines.map(absolute),
    };
  }

  async #filesOf(
    directory: string,
    globs: readonly string[],
    call: SearchCall,
  ): Promise<WalkResult | undefined> {
    const found = await unlessMissing(() => this.glob(directory, { globs }, call));
    if (found === 'outside') fail({ kind: 'outside', path: directory });
    if (found === 'unreadable') fail({ kind: 'permission', path: directory, action: 'read' });
    return found === 'nothing' ? undefined : found;
  }

  async #below<T>(
    path: string,
    use: (place: Place, search: Search) => Promise<T>,
    onlyPrepares = false,
  ): Promise<T> {
    return this.#access.read([path], { blocksLaterCalls: false, onlyPrepares }, (open) =>
      open(path, 'searched', (place) => use(place, this.#lazy.search)),
    );
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
