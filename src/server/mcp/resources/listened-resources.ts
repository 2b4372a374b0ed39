/** Watches the resources that clients name in `subscriptions/listen`, in the protocol version without sessions. */
import { EngineFailure } from '../../../engine/index.ts';
import type { App } from '../app.ts';
import type { Id } from '../messages/json-rpc.ts';
import { ListChanges } from './list-changes.ts';
import { BadParams, pathIn } from './resource-call.ts';
import { resourceDialect } from './resource-methods.ts';
import { Subscriptions } from './subscriptions.ts';

export interface Publisher {
  updated(uri: string): void;
  listChanged(): void;
}

export const LISTEN = 'subscriptions/listen';

interface Filter {
  resourceSubscriptions?: unknown;
  resourcesListChanged?: unknown;
}

export class ListenedResources {
  readonly #app: App;
  readonly #publisher: Publisher;
  /** The existing URIs that each listener watches, once they have been checked. */
  readonly #opened = new Map<Id | symbol, Promise<readonly string[]>>();
  #subscriptions: Subscriptions | undefined;
  #listChanges: ListChanges | undefined;

  constructor(app: App, publisher: Publisher) {
    this.#app = app;
    this.#publisher = publisher;
  }

  /**
   * Watches the resources that a message names, until `close` is called with the same key. If there is something to
   * watch, the promise settles after the first check of the files and says whether the client still listens. The caller
   * waits for it before it tells the client: otherwise the client might change a file before the server watches it.
   */
  open(key: Id | symbol, message: unknown): Promise<boolean> | undefined {
    const { method, params } = message as { method?: unknown; params?: { notifications?: Filter } };
    if (method !== LISTEN || !resourceDialect(this.#app)) return undefined;
    const { resourceSubscriptions: uris = [], resourcesListChanged } = params?.notifications ?? {};
    const { engine, changing = engine } = this.#app;
    if (resourcesListChanged === true)
      this.#listChanges ??= new ListChanges(changing, () => this.#publisher.listChanged());
    this.close(key);
    if (!Array.isArray(uris) || uris.length === 0) return undefined;
    const watching = this.#watch(uris);
    this.#opened.set(key, watching);
    const isWanted = () => this.#opened.get(key) === watching;
    return watching.then(isWanted, isWanted);
  }

  close(key: Id | symbol): void {
    const opened = this.#opened.get(key);
    this.#opened.delete(key);
    void opened?.then((uris) => {
      for (const uri of uris) this.#subscriptions?.remove(uri);
    });
  }

  end(): void {
    this.#subscriptions?.close();
    this.#listChanges?.close();
  }

  /** Skips files that do not exist or are not served, without telling the client. */
  async #watch(uris: readonly unknown[]): Promise<readonly string[]> {
    const { engine, changing = engine } = this.#app;
    this.#subscriptions ??= new Subscriptions(engine, changing, (uri) => this.#publisher.updated(uri));
    const watched: string[] = [];
    for (const uri of uris) {
      if (typeof uri !== 'string' || this.#subscriptions.isFull) continue;
      try {
        await this.#subscriptions.add(uri, await pathIn(engine, uri));
        watched.push(uri);
      } catch (error) {
        if (!(error instanceof EngineFailure) && !(error instanceof BadParams)) throw error;
      }
    }
    return watched;
  }
}
