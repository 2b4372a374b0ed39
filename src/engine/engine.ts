/** Puts the four APIs together over one gate: files, search, commands and history of the given directories. */
import type { StateSource } from '../state/directory/open.ts';
import { StateProblem, whyNotStateDirectory } from '../state/directory/state-directory.ts';
import type { Access, ChangeListener } from './access/access.ts';
import type { CommandSettings, CommandsApi } from './api/commands.ts';
import type { FilesApi } from './api/files.ts';
import { HistoryApi } from './api/history.ts';
import type { SearchApi } from './api/search.ts';
import { type Arrival, anonymous, type Caller } from './caller.ts';
import { type EncodingRule, readEncodingRules } from './charset/declared.ts';
import type { Place } from './confine/place.ts';
import type { Protection } from './confine/protection.ts';
import { isWithin, type RootSpec } from './confine/roots.ts';
import { Wall } from './confine/wall.ts';
import { type Watch, watchEntry } from './confine/watch.ts';
import { apisOver, closedParts, openParts, type Parts } from './engine-parts.ts';
import { EngineFailure, type Failure } from './failures.ts';
import type { RetentionLimits } from './journal/retention/retention-limits.ts';
import { resolvePrograms } from './run/programs.ts';
import { whyNoSandbox } from './run/sandbox/why-no-sandbox.ts';
import { LazySearch } from './search/lazy-search.ts';

export interface EngineOptions {
  roots: readonly RootSpec[];
  /** Allows no directories at all: every path is then outside. For a server whose client names the directories. */
  mayBeEmpty?: boolean;
  /** No operation can change anything. */
  readOnly?: boolean;
  /** `verified` asks for the wall's fallback even if a stronger one would work. */
  protection?: 'strongest' | 'verified';
  /** Git's configuration and hooks may be changed. */
  allowGitConfig?: boolean;
  /**
   * Names that are listed but never opened: globs as in .gitignore, from each directory. `secrets` stands for the usual
   * names of files with secrets.
   */
  deny?: readonly string[];
  /** Names that do not exist for any tool: globs like those of `deny`. */
  hide?: readonly string[];
  /**
   * Files in other encodings than UTF-8: globs as in .gitignore, from each directory. The last one that matches
   * decides.
   */
  encodings?: readonly EncodingRule[];
  /** For the owner's own programs: nothing is denied or hidden, whatever a .cofferdamignore says. */
  ownerAsks?: boolean;
  commands?: CommandSettings;
  /**
   * The state directory, where the journal keeps what every change replaced, or a function that opens the state of a
   * fleet. Without either, nothing can be undone.
   */
  journal?: StateSource;
  /** How much the journal keeps, and for how long. */
  keep?: RetentionLimits;
}

export interface RootInfo {
  path: string;
  /** The path with all links resolved. */
  real: string;
  writable: boolean;
}

/**
 * What the engine holds from the start. It opens its other parts with the first call, so that a start need not wait for
 * them.
 */
interface Held {
  wall: Wall;
  /** Where changes are kept. */
  journal: StateSource | undefined;
  /** What the operator decided about commands. Engines made by `narrowed` keep to it. */
  settings: CommandSettings;
  /** Engines for some of the directories, which close with this one. */
  inner: Set<Engine>;
  outer: Engine | undefined;
  open(): Parts;
  opened?: Parts;
}

export class Engine {
  readonly #held: Held;
  readonly #caller: Caller;
  #ownAccess: Access | undefined;
  #ownFiles: FilesApi | undefined;
  #ownSearch: SearchApi | undefined;
  #ownCommands: CommandsApi | undefined;
  #ownHistory: HistoryApi | undefined;
  #closed: Promise<void> | undefined;

  /** `held` and `caller` are only for `within`, `narrowed` and `as`. */
  constructor(options: EngineOptions, held: Held = hold(options), caller: Caller = anonymous) {
    this.#held = held;
    this.#caller = caller;
  }

  get files(): FilesApi {
    const { files } = this.#parts;
    this.#ownFiles ??= this.#caller === anonymous ? files : files.as(this.#access);
    return this.#ownFiles;
  }

  get search(): SearchApi {
    const { search } = this.#parts;
    this.#ownSearch ??= this.#caller === anonymous ? search : search.as(this.#access);
    return this.#ownSearch;
  }

  get commands(): CommandsApi {
    const { commands } = this.#parts;
    this.#ownCommands ??= this.#caller === anonymous ? commands : commands.as(this.#access);
    return this.#ownCommands;
  }

  get history(): HistoryApi {
    this.#ownHistory ??= new HistoryApi(this.#access, this.#parts.editor);
    return this.#ownHistory;
  }

  get #access(): Access {
    const { access } = this.#parts;
    this.#ownAccess ??= this.#caller === anonymous ? access : access.as(this.#caller);
    return this.#ownAccess;
  }

  get #parts(): Parts {
    const held = this.#held;
    held.opened ??= held.open();
    return held.opened;
  }

  /**
   * Registers a call that has arrived; its caller carries the result. Later calls wait until this one has named its
   * paths, however long it takes to read its arguments. The caller must call `markNamed` in the end.
   */
  arrive(): Arrival {
    return this.#access.arrive();
  }

  /** The same engine for one caller, which learns of every path that it touches and owns the entries of its changes. */
  as(caller: Caller): Engine {
    return new Engine({ roots: [] }, this.#held, caller);
  }

  /** An engine for one directory inside, which reaches nothing else. It closes with this one at the latest. */
  within(path: string): Promise<Engine> {
    return this.#access.read([path], {}, (look) =>
      look(path, 'looked-at', async (place) => {
        return this.#inside(this.#held.wall.within(place), {});
      }),
    );
  }

  /**
   * An engine for what is both in the given directories and in these, under the same rules: a directory inside a given
   * one, or given directories inside one of these. Undefined if there is nothing. It closes with this one at the
   * latest.
   */
  narrowed(directories: readonly string[]): Promise<Engine | undefined> {
    return this.#access.read(directories, {}, async () => {
      const { wall, settings } = this.#held;
      const places: Place[] = [];
      try {
        for (const path of directories) places.push(...placesInBoth(wall, path));
        if (places.length === 0) return undefined;
        return this.#inside(wall.withinAll(places), settings);
      } finally {
        for (const place of places) place.close();
      }
    });
  }

  /** An engine behind a wall of its own, which closes with this one at the latest. */
  #inside(wall: Wall, settings: CommandSettings): Engine {
    const { editor, access: outer } = this.#parts;
    const access = outer.within(wall);
    const { journal, inner } = this.#held;
    const open = () => apisOver({ access, editor, search: new LazySearch() }, settings);
    const engine = new Engine(
      { roots: [] },
      { wall, journal, settings, inner: new Set(), outer: this, open },
    );
    inner.add(engine);
    return engine;
  }

  /**
   * Calls `listener` for every path that changes through this engine or one made from it, until the returned function
   * is called.
   */
  onChange(listener: ChangeListener): () => void {
    return this.#access.onChange(listener);
  }

  /** Calls `heard` when any program may have changed an entry. Undefined where the system cannot watch it. */
  watch(path: string, heard: () => void): Promise<Watch | undefined> {
    return this.#access.read([path], {}, (look) =>
      look(path, 'looked-at', async (place) => watchEntry(place, heard)),
    );
  }

  get protection(): Protection {
    return this.#held.wall.protection;
  }

  /**
   * What the owner denies and hides, in words; undefined when that is nothing. If there is something, commands need a
   * sandbox.
   */
  get withholds(): string | undefined {
    return this.#held.wall.withheld?.says;
  }

  get roots(): RootInfo[] {
    return this.#held.wall.roots.map((root) => ({
      path: root.given,
      real: root.real,
      writable: root.readOnly === undefined,
    }));
  }

  /** Whether changes are kept, so that they can be undone. */
  get keepsChanges(): boolean {
    return this.#held.journal !== undefined;
  }

  /** Why commands have no sandbox here, without starting anything to find out; undefined if one can be tried. */
  whyUnconfined(): string | undefined {
    const { wall, settings } = this.#held;
    const { sandbox = 'auto', environment = {} } = settings;
    const roots = wall.roots.map(({ real }) => real);
    const { found, passedOver } = resolvePrograms(['bwrap'], { path: environment.PATH, roots });
    return whyNoSandbox(sandbox, { path: found.get('bwrap'), passedOver: passedOver.get('bwrap') });
  }

  /** Reports a failure that a dialect found by itself, such as a path that it refuses by its text. */
  reportFailure(facts: Failure): void {
    this.#access.reportFailure(facts);
  }

  /** Admits no more calls, waits for those that are running, and closes all that it holds. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { wall, inner, outer, opened, open } = this.#held;
    if (!opened) this.#held.open = () => closedParts(open());
    const ended = opened?.access.close();
    if (outer) outer.#held.inner.delete(this);
    else await opened?.editor.close();
    await Promise.all([opened?.commands.close(), opened?.search.close()]);
    await ended;
    await Promise.all([...inner].map((engine) => engine.close()));
    wall.close();
    if (!outer) await opened?.access.journal?.close();
  }
}

function hold(options: EngineOptions): Held {
  const { readOnly = false, protection = 'strongest', allowGitConfig = false, journal: source } = options;
  const { mayBeEmpty = false, deny = [], hide = [], commands: settings = {} } = options;
  const globs = options.ownerAsks ? undefined : { deny, hide };
  const { encodings = [] } = options;
  const rules = encodings.length === 0 ? [] : readEncodingRules(encodings);
  const wall = new Wall(options.roots, { readOnly, protection, allowGitConfig, mayBeEmpty, globs });
  const journal = readOnly ? undefined : source;
  const roots = wall.roots.map(({ real }) => real);
  const problem = typeof journal === 'string' ? whyNotStateDirectory(journal, roots) : undefined;
  if (problem !== undefined) {
    wall.close();
    throw new StateProblem(`the state directory ${problem}`);
  }
  const open = () => openParts({ wall, settings, journal, rules, keep: options.keep });
  return { wall, journal, settings, inner: new Set(), outer: undefined, open };
}

/** The directories that are both in the wall and at or below a path; none if the path leads elsewhere. */
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
