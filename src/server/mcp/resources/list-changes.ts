/** Reports, at most once a second, that files appeared or disappeared through this server. */
import type { Engine } from '../../../engine/index.ts';

const EVERY_MS = 1000;

export class ListChanges {
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(engine: Engine, changed: () => void) {
    this.#stop = engine.onChange((_path, _below, listed) => {
      if (!listed) return;
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        changed();
      }, EVERY_MS).unref();
    });
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }
}
