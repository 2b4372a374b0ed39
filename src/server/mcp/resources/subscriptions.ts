/**
 * Tells when files change that somebody subscribed to.
 *
 * Two sources say that a file is worth a check: the engine, for every change that goes through it, and the system, for
 * changes by others in the file's own directory. Neither is believed: a client learns of a change when another check
 * through the wall finds another file, or none.
 */
import { dirname } from 'node:path';
import type { Engine, Stat } from '../../../engine/index.ts';
import { lies } from './resource-call.ts';

/** Changes in quick succession are one. */
const SETTLE_MS = 30;
export const MOST_SUBSCRIPTIONS = 1000;

interface Subscription {
  /** How often it was asked for. */
  count: number;
  /** As the URI names it, and with all links resolved. */
  path: string;
  real: string;
  /** As the client knows it. */
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

  /** `changes` is the engine whose changes all clients share. */
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
    added.state = await this.#look(uri, added);
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
      const concerns = each.real === path || (below && lies(each.real, path)) || each.real === dirname(path);
      if (concerns) this.#lookSoon(uri, each);
    }
  }

  #lookSoon(uri: string, each: Subscription): void {
    each.timer ??= setTimeout(() => {
      each.timer = undefined;
      void this.#look(uri, each).then((state) => {
        if (state === undefined || state === each.state || this.#byUri.get(uri) !== each) return;
        // At once: another look may be under way, and must not find the same change new.
        each.state = state;
        this.#updated(uri);
      });
    }, SETTLE_MS).unref();
  }

  /** Watches what is there now, and then looks at it: a change in between is noticed. Gives what it has found. */
  async #look(uri: string, each: Subscription): Promise<string | undefined> {
    try {
      const watch = await this.#engine
        .watch(each.path, () => this.#lookSoon(uri, each))
        .catch(() => undefined);
      each.watch?.close();
      each.watch = watch;
      if (this.#byUri.get(uri) !== each) release(each);
      return stateOf(await this.#engine.files.peek(each.path));
    } catch {
      // The system is short of something, or the engine closes: the next change is another chance.
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
