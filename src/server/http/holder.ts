/** The holder of one token: what it is served, how many of its calls are under way, what is kept for it. */
import type { Dialect, Session } from '../../dialects/dialect.ts';
import type { App } from '../app.ts';
import type { Gate } from '../gate.ts';
import { callsGate, endState } from '../session.ts';
import type { Grant } from './tokens.ts';

/** The least recently used is given up for a new one. */
const MOST_KEPT = 64;

interface Kept {
  state: Session;
  users: number;
  usedAt: number;
}

export class Holder {
  readonly grant: Grant;
  readonly gate: Gate = callsGate();
  readonly #app: App;
  readonly #apps = new Map<string, App>();
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>();

  /** `app` has the engine that fits the token. */
  constructor(grant: Grant, app: App) {
    this.grant = grant;
    this.#app = app;
  }

  mayUse(dialect: string): boolean {
    return this.grant.dialects?.includes(dialect) ?? true;
  }

  appFor(dialect: Dialect): App {
    let app = this.#apps.get(dialect.name);
    if (!app) {
      app = { ...this.#app, dialects: [dialect], who: this.grant.name };
      this.#apps.set(dialect.name, app);
    }
    return app;
  }

  /**
   * What is kept for a client without a session: its requests are told apart by the token, the dialect and
   * the name that the client gives itself.
   */
  keep(client: string, now: number): { state: Session; release(): void } {
    const kept = this.#kept.get(client) ?? { state: {}, users: 0, usedAt: now };
    this.#kept.delete(client);
    this.#kept.set(client, kept);
    kept.users++;
    kept.usedAt = now;
    this.#giveUpOldest();
    return {
      state: kept.state,
      release: () => {
        kept.users--;
        if (kept.users === 0 && kept.state.workspace === undefined && this.#kept.get(client) === kept)
          this.#kept.delete(client);
      },
    };
  }

  forgetIdle(now: number, idleMs: number): void {
    for (const [client, kept] of this.#kept) {
      if (kept.users === 0 && now - kept.usedAt >= idleMs) this.#forget(client, kept);
    }
  }

  close(): void {
    for (const [client, kept] of this.#kept) this.#forget(client, kept);
  }

  #giveUpOldest(): void {
    if (this.#kept.size <= MOST_KEPT) return;
    for (const [client, kept] of this.#kept) {
      if (kept.users > 0) continue;
      this.#forget(client, kept);
      return;
    }
  }

  #forget(client: string, kept: Kept): void {
    this.#kept.delete(client);
    endState(kept.state);
  }
}
