/**
 * Narrows the served directories to the roots of one client, in versions of the protocol that have roots.
 *
 * The client gets what is in both its roots and the served directories; if they have nothing in common, it gets the
 * served directories as they are. So a client can give up access but never gain any. A server without directories of
 * its own (`--client-roots`) serves exactly the client's roots.
 */
import type { Engine } from '../../engine/index.ts';
import type { App } from './app.ts';
import { pathOf } from './resources/file-uri.ts';

/** How long a call waits for the client to name its roots. */
const ROOTS_TIMEOUT_MS = 3000;
const MOST_ROOTS = 100;

/** An engine that one call uses until it releases it. */
export interface EngineLease {
  engine: Engine;
  /** Whether the engine serves all directories of the server. */
  isWhole: boolean;
  release(): void;
}

/** An engine for a part of the directories. It closes when another one has replaced it and its last call has ended. */
interface NarrowedEngine {
  engine: Engine;
  calls: number;
  isRetired: boolean;
}

/** The directories that a call can reach, for the trace; undefined for all that are served. */
export function tracedRoots(served: EngineLease | string | undefined): string[] | undefined {
  if (served === undefined || typeof served === 'string' || served.isWhole) return undefined;
  return served.engine.roots.map(({ real }) => real);
}

/** Whether any dialect follows the client's roots. The others serve all directories of the server. */
export function followsRoots({ dialects }: App): boolean {
  return dialects.some(({ followsClientRoots }) => followsClientRoots);
}

/** The lease for a client whose roots do not matter. */
export function wholeLease({ engine }: App): EngineLease {
  return { engine, isWhole: true, release: () => {} };
}

export class ClientRoots {
  readonly #app: App;
  readonly #ask: () => Promise<unknown>;
  readonly #changed: () => void;
  readonly #onRoots: (paths: readonly string[]) => Promise<void>;
  #part: NarrowedEngine | undefined;
  #asked = 0;
  #asking: Promise<void> | undefined;
  #ended = false;
  #isForgotten = false;

  /**
   * `ask` sends `roots/list`. `changed` is called when another engine begins to serve the client, and `onRoots` when
   * the client has named its roots.
   */
  constructor(
    app: App,
    ask: () => Promise<unknown>,
    changed: () => void = () => {},
    onRoots: (paths: readonly string[]) => Promise<void> = async () => {},
  ) {
    this.#app = app;
    this.#ask = ask;
    this.#changed = changed;
    this.#onRoots = onRoots;
  }

  /** Whether this server or another one has asked the client for its roots. */
  get isAsked(): boolean {
    return this.#asked > 0 && !this.#isForgotten;
  }

  /** Uses the roots that the client has named to another server. */
  async use(paths: readonly string[]): Promise<void> {
    const asked = ++this.#asked;
    this.#isForgotten = false;
    await this.#open(paths, asked);
  }

  /** The client's roots may have changed: the next call asks for them again. */
  forget(): void {
    this.#isForgotten = this.#asking === undefined;
  }

  /** Asks the client for its roots: it has some, or they have changed. */
  refresh(): void {
    this.#isForgotten = false;
    const asking = this.#learn(++this.#asked)
      .catch((error: unknown) => this.#app.log(`the client's roots: ${String(error)}`))
      .finally(() => {
        if (this.#asking === asking) this.#asking = undefined;
      });
    this.#asking = asking;
  }

  /** The engine for a call, or one line that says why there is none. */
  take(): EngineLease | string | Promise<EngineLease | string> {
    if (!this.#asking) return this.#takeNow();
    return Promise.race([this.#asking, rootsTimeout()]).then(() => this.#takeNow());
  }

  #takeNow(): EngineLease | string {
    const part = this.#part;
    if (part) {
      part.calls++;
      return { engine: part.engine, isWhole: false, release: () => release(part) };
    }
    if (!this.#app.clientRoots) return wholeLease(this.#app);
    return this.#asked === 0 ? NONE_NAMED : NONE_SERVED;
  }

  end(): void {
    this.#ended = true;
    this.#use(undefined);
  }

  async #learn(asked: number): Promise<void> {
    const paths = pathsIn(await this.#ask());
    await this.#open(paths, asked);
    await this.#onRoots(paths);
  }

  async #open(paths: readonly string[], asked: number): Promise<void> {
    const { engine, clientRoots } = this.#app;
    const isLatest = () => asked === this.#asked && !this.#ended;
    if (!isLatest()) return;
    const next = clientRoots ? clientRoots.open(paths) : await engine.narrowed(paths);
    if (isLatest()) this.#use(next);
    else await next?.close();
  }

  #use(engine: Engine | undefined): void {
    const before = this.#part;
    this.#part = engine && { engine, calls: 0, isRetired: false };
    this.#changed();
    if (!before) return;
    before.isRetired = true;
    if (before.calls === 0) void before.engine.close();
  }
}

const NONE_NAMED =
  'No directory is served yet: this server serves the roots of its client (--client-roots), and the client has named none. Use a client that has roots, or start the server with directories.';
const NONE_SERVED =
  'No directory is served: none of the roots that the client named is a directory on this machine that can be opened.';

function release(part: NarrowedEngine): void {
  part.calls--;
  if (part.isRetired && part.calls === 0) void part.engine.close();
}

/** The directories in an answer to `roots/list`. */
function pathsIn(answer: unknown): string[] {
  const { roots } = (answer ?? {}) as { roots?: unknown };
  if (!Array.isArray(roots)) throw new Error('the answer to roots/list has no roots');
  const uris = roots.slice(0, MOST_ROOTS).map((root: unknown) => (root as { uri?: unknown } | null)?.uri);
  return uris.flatMap((uri) => (typeof uri === 'string' ? (pathNamed(uri) ?? []) : []));
}

function pathNamed(uri: string): string | undefined {
  try {
    return pathOf(uri);
  } catch {
    // The path is too long to be that of a directory.
    return undefined;
  }
}

function rootsTimeout(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ROOTS_TIMEOUT_MS).unref());
}
