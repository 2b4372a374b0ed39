/** All clients that use one token: their engine, the limit on their calls, and the state of a one-client token. */
import type { Dialect, Session } from '../../dialects/dialect.ts';
import type { App } from '../mcp/app.ts';
import { newCallLimit } from '../mcp/concurrency-limit.ts';
import { endState } from '../mcp/session-state.ts';
import type { Grant } from '../web/tokens/tokens.ts';

interface ClientState {
  client: string;
  state: Session;
  users: number;
  usedAt: number;
}

export class Principal {
  readonly grant: Grant;
  readonly callLimit = newCallLimit();
  /** The time of the last request. */
  usedAt = 0;
  readonly #app: App;
  readonly #apps = new Map<string, App>();
  /** The state of the one client, by dialect. */
  readonly #states = new Map<string, ClientState>();

  /** `app` must have the engine for this token: a read-only one for a read-only token. */
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

  /** What the one client of this token keeps between its calls, in the protocol version without sessions. */
  stateOf(dialect: string, client: string, now: number): { state: Session; release(): void } {
    let found = this.#states.get(dialect);
    // Another name means another client, which chooses its own workspace.
    if (found && found.client !== client) this.forget(dialect);
    if (found?.client !== client) found = { client, state: {}, users: 0, usedAt: now };
    this.#states.set(dialect, found);
    found.users++;
    found.usedAt = now;
    return { state: found.state, release: () => void found.users-- };
  }

  forget(dialect: string): void {
    const found = this.#states.get(dialect);
    this.#states.delete(dialect);
    if (found) endState(found.state);
  }

  forgetIdle(now: number, idleMs: number): void {
    for (const [dialect, { users, usedAt }] of this.#states) {
      if (users === 0 && now - usedAt >= idleMs) this.forget(dialect);
    }
  }

  close(): void {
    for (const dialect of this.#states.keys()) this.forget(dialect);
  }
}
