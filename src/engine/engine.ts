/** Puts the four APIs together over one gate: files, search, commands and history of the given directories. */
import { openDirectoryState } from '../state/directory/open.ts';
import { StateProblem, whyNotStateDirectory } from '../state/directory/state-directory.ts';
import { Access, type ChangeListener } from './access/access.ts';
import { type CommandSettings, CommandsApi } from './api/commands.ts';
import { FilesApi } from './api/files.ts';
import { HistoryApi } from './api/history.ts';
import { SearchApi } from './api/search.ts';
import { type Arrival, anonymous, type Caller } from './caller.ts';
import { type EncodingRule, readEncodingRules } from './charset/declared.ts';
import type { Place } from './confine/place.ts';
import type { Protection } from './confine/protection.ts';
import { isWithin, type RootSpec } from './confine/roots.ts';
import { Wall } from './confine/wall.ts';
import { type Watch, watchEntry } from './confine/watch.ts';
import { EngineFailure, type Failure } from './failures.ts';
import { TextEditor } from './files/edit/text-editor.ts';
import { DeclaredEncodings } from './files/encoding/declared-encodings.ts';
import { Journal } from './journal/journal.ts';
import type { Keep } from './journal/retention/retention.ts';
import { LazySearch } from './search/lazy-search.ts';

export interface EngineOptions {
  roots: readonly RootSpec[];
  /** There may be no directory: then every path is outside. For a server whose client names the directories. */
  mayBeEmpty?: boolean;
  /** No operation can change anything. */
  readOnly?: boolean;
  /** `verified` asks for the wall's fallback although a stronger one would work. */
  protection?: 'strongest' | 'verified';
  /** Git's configuration and hooks may be changed. */
  allowGitConfig?: boolean;
  /** Globs as in .gitignore, from each directory: listed, but never opened. `secrets` stands for the usual names of secrets. */
  deny?: readonly string[];
  /** The same, but not there at all. */
  hide?: readonly string[];
  /** Files that are in another encoding than UTF-8: globs as in .gitignore, from each directory. The last one that fits counts. */
  encodings?: readonly EncodingRule[];
  /** For the owner's own programs: nothing is denied or hidden, whatever a .cofferdamignore says. */
  ownerAsks?: boolean;
  commands?: CommandSettings;
  /** The state directory, where the journal keeps what every change replaced. Without one, nothing can be undone. */
  journal?: string;
  /** How much the journal keeps, and for how long. */
  keep?: Keep;
}

export interface RootInfo {
  path: string;
  /** With all links resolved. */
  real: string;
  writable: boolean;
}

/** What the APIs stand on. */
interface Shared {
  access: Access;
  editor: TextEditor;
  search: LazySearch;
}

/** What all callers of the engine share. */
interface Parts {
  access: Access;
  editor: TextEditor;
  files: FilesApi;
  search: SearchApi;
  commands: CommandsApi;
  /** What the operator decided about commands; `narrowed` engines keep to it. */
  settings: CommandSettings;
  /** Engines for parts of the directories. */
  inner: Set<Engine>;
  outer: Engine | undefined;
}

export class Engine {
  readonly files: FilesApi;
  readonly search: SearchApi;
  readonly commands: CommandsApi;
  readonly history: HistoryApi;
  readonly #access: Access;
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;

  /** `parts` and `caller` are for `within` and `as` alone. */
  constructor(options: EngineOptions, parts: Parts = open(options), caller: Caller = anonymous) {
    const access = caller === anonymous ? parts.access : parts.access.as(caller);
    this.#parts = parts;
    this.#access = access;
    this.files = caller === anonymous ? parts.files : parts.files.as(access);
    this.search = caller === anonymous ? parts.search : parts.search.as(access);
    this.commands = caller === anonymous ? parts.commands : parts.commands.as(access);
    this.history = new HistoryApi(access);
  }

  /**
   * A call has come, and its caller will carry what this gives: later calls wait until it has named its paths, however
   * long it takes to read its arguments. The caller must call `name` in the end.
   */
  arrive(): Arrival {
    return this.#access.arrive();
  }

  /** The same engine for one caller, who hears of every path that it touches and owns the entries of its changes. */
  as(caller: Caller): Engine {
    return new Engine({ roots: [] }, this.#parts, caller);
  }

  /** An engine for one directory inside, which reaches nothing else. It closes with this one at the latest. */
  within(path: string): Promise<Engine> {
    return this.#access.read([path], {}, (look) =>
      look(path, 'looked-at', async (place) => {
        const { editor, inner } = this.#parts;
        const access = this.#parts.access.within(this.#access.wall.within(place));
        const engine = new Engine(
          { roots: [] },
          { ...apisOver({ access, editor, search: new LazySearch() }, {}), outer: this },
        );
        inner.add(engine);
        return engine;
      }),
    );
  }

  /**
   * An engine for what lies both in the given directories and in these, under the same rules: a directory inside, or
   * the given ones that lie inside it. Undefined where nothing does. It closes with this one at the latest.
   */
  narrowed(directories: readonly string[]): Promise<Engine | undefined> {
    return this.#access.read(directories, {}, async () => {
      const { wall } = this.#access;
      const places: Place[] = [];
      try {
        for (const path of directories) places.push(...placesInBoth(wall, path));
        if (places.length === 0) return undefined;
        const { editor, inner, settings } = this.#parts;
        const access = this.#parts.access.within(wall.withinAll(places));
        const own = apisOver({ access, editor, search: new LazySearch() }, settings);
        const engine = new Engine({ roots: [] }, { ...own, outer: this });
        inner.add(engine);
        return engine;
      } finally {
        for (const place of places) place.close();
      }
    });
  }

  /** Calls `listener` for every path that changes through this engine or one of its parts, until it is told to stop. */
  onChange(listener: ChangeListener): () => void {
    return this.#access.onChange(listener);
  }

  /** Calls `heard` when an entry may have changed, whoever did it. Undefined where the system cannot tell. */
  watch(path: string, heard: () => void): Promise<Watch | undefined> {
    return this.#access.read([path], {}, (look) =>
      look(path, 'looked-at', async (place) => watchEntry(place, heard)),
    );
  }

  get protection(): Protection {
    return this.#access.wall.protection;
  }

  /** What the owner denies and hides, in words; undefined when that is nothing. Otherwise commands need a sandbox. */
  get withholds(): string | undefined {
    return this.#access.wall.withheld?.says;
  }

  get roots(): RootInfo[] {
    return this.#access.wall.roots.map((root) => ({
      path: root.given,
      real: root.real,
      writable: root.readOnly === undefined,
    }));
  }

  /** Reports a failure that a dialect found by itself, such as a path that it refuses by its looks. */
  reportFailure(facts: Failure): void {
    this.#access.reportFailure(facts);
  }

  /** Admits no further calls, waits for those that run, and closes all that it holds. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { access, editor, commands, search, inner, outer } = this.#parts;
    const ended = access.close();
    if (outer) outer.#parts.inner.delete(this);
    else await editor.close();
    await Promise.all([commands.close(), search.close()]);
    await ended;
    await Promise.all([...inner].map((engine) => engine.close()));
    access.wall.close();
    if (!outer) await access.journal?.close();
  }
}

function open(options: EngineOptions): Parts {
  const { readOnly = false, protection = 'strongest', allowGitConfig = false, journal: directory } = options;
  const { mayBeEmpty = false, deny = [], hide = [] } = options;
  const globs = options.ownerAsks ? undefined : { deny, hide };
  const rules = readEncodingRules(options.encodings ?? []);
  const wall = new Wall(options.roots, { readOnly, protection, allowGitConfig, mayBeEmpty, globs });
  const journal =
    directory === undefined || readOnly
      ? undefined
      : new Journal(openDirectoryState(directory), options.keep);
  const roots = wall.roots.map(({ real }) => real);
  const problem = journal && whyNotStateDirectory(journal.state.name, roots);
  if (problem !== undefined) {
    wall.close();
    throw new StateProblem(`the state directory ${problem}`);
  }
  const search = new LazySearch();
  const encodings = new DeclaredEncodings(rules, roots);
  const access = new Access({ wall, journal, scanner: search, encodings });
  const apis = apisOver({ access, editor: new TextEditor(), search }, options.commands ?? {});
  return { ...apis, outer: undefined };
}

function apisOver({ access, editor, search }: Shared, settings: CommandSettings): Omit<Parts, 'outer'> {
  return {
    access,
    editor,
    files: new FilesApi(access, editor),
    search: new SearchApi(access, search),
    commands: new CommandsApi(access, settings),
    settings,
    inner: new Set(),
  };
}

/** The directories that lie both in the wall and at or below a path; none where it leads elsewhere. */
function placesInBoth(wall: Wall, path: string): Place[] {
  try {
    const place = wall.resolve(path);
    if (place.lstat()?.type === 'directory') return [place];
    place.close();
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
  }
  return wall.roots
    .filter(({ knownAs }) => knownAs.some((name) => isWithin(name, path)))
    .map(({ given }) => wall.resolve(given));
}
