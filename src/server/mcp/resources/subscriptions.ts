/**
 * Reports changes of the files that clients have subscribed to.
 *
 * Two sources hint that a file may have changed: the engine, for every change that it makes, and the operating system,
 * for changes by others in the file's directory. A hint alone is not enough: the server checks the file again through
 * the wall, and tells the client only if the file is different or gone.
 */
import { dirname } from 'node:path';
import { type Engine, isWithin, type Stat } from '../../../engine/index.ts';

/** Changes within this time are reported as one. */
const SETTLE_MS = 30;
export const MOST_SUBSCRIPTIONS = 1000;

interface Subscription {
  /** How many subscribers it has. */
  count: number;
  /** The path in the URI. */
  path: string;
  /** The path with all links resolved. */
  real: string;
  /** The state of the file that the client knows. */
  state: string | undefined;
  watch: { close(): void } | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class Subscriptions {
  readonly #engine: Engine;
  readonly #updated: (uri: string) => void;
  readonly #byUri = new Map<string, Subscription>();
  readonly #stop: () => void;
  #closed = false;

  /** `changes` is the engine through which all clients make their changes. */
  constructor(engine: Engine, changes: Engine, updated: (uri: string) => void) {
    this.#engine = engine;
    this.#updated = updated;
    this.#stop = changes.onChange((path, below) => this.#changed(path, below));
  }

  get uris(): string[] {
    return [...this.#byUri.keys()];
  }

  get isFull(): boolean {
    return this.#byUri.size >= MOST_SUBSCRIPTIONS;
  }

  /** Fails when there is no such file. */
  async add(uri: string, path: string): Promise<void> {
    const { path: real } = await this.#engine.files.info(path);
    if (this.#closed) return;
    const known = this.#byUri.get(uri);
    if (known) {
      known.count++;
      return;
    }
    const added: Subscription = {
      count: 1,
      path,
      real,
      state: undefined,
      watch: undefined,
      timer: undefined,
    };
    this.#byUri.set(uri, added);
    added.state = await this.#check(uri, added);
  }

  remove(uri: string): void {
    const known = this.#byUri.get(uri);
    if (!known || --known.count > 0) return;
    this.#byUri.delete(uri);
    release(known);
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    for (const each of this.#byUri.values()) release(each);
    this.#byUri.clear();
  }

  #changed(path: string, below: boolean): void {
    for (const [uri, each] of this.#byUri) {
      const concerns =
        each.real === path || (below && isWithin(each.real, path)) || each.real === dirname(path);
      if (concerns) this.#checkSoon(uri, each);
    }
  }

  #checkSoon(uri: string, each: Subscription): void {
    each.timer ??= setTimeout(() => {
      each.timer = undefined;
      void this.#check(uri, each).then((state) => {
        if (state === undefined || state === each.state || this.#byUri.get(uri) !== each) return;
        // Set it at once: another check may be under way and must not report the same change again.
        each.state = state;
        this.#updated(uri);
      });
    }, SETTLE_MS).unref();
  }

  /** Starts to watch the file and then checks it, so that no change in between is missed. Gives the state it found. */
  async #check(uri: string, each: Subscription): Promise<string | undefined> {
    try {
      const watch = await this.#engine
        .watch(each.path, () => this.#checkSoon(uri, each))
        .catch(() => undefined);
      each.watch?.close();
      each.watch = watch;
      if (this.#byUri.get(uri) !== each) release(each);
      return stateOf(await this.#engine.files.peek(each.path));
    } catch {
      // The system lacks resources, or the engine is closing: the next change leads to another check.
      return undefined;
    }
  }
}

function release(subscription: Subscription): void {
  clearTimeout(subscription.timer);
  subscription.watch?.close();
  subscription.watch = undefined;
}

function stateOf(stat: Stat | undefined): string {
  if (!stat) return 'gone';
  const { dev, ino, size, mode, mtimeNs, ctimeNs } = stat;
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(':');
}
