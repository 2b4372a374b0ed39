/** The holder of one token: what it is served, how many of its calls are under way, what is kept for it. */
import type { Dialect, Session } from '../../dialects/dialect.ts';
import type { App } from '../mcp/app.ts';
import type { Gate } from '../mcp/call-limit.ts';
import { callsGate, endState } from '../mcp/session.ts';
import type { Grant } from '../web/tokens.ts';

interface Kept {
  client: string;
  state: Session;
  users: number;
  usedAt: number;
}

export class Holder {
  readonly grant: Grant;
  readonly gate: Gate = callsGate();
  readonly #app: App;
  readonly #apps = new Map<string, App>();
  /** By dialect. */
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

  /** What is kept between the calls of the one client that uses this token, in a protocol without sessions. */
  keep(dialect: string, client: string, now: number): { state: Session; release(): void } {
    let kept = this.#kept.get(dialect);
    // Another name: another client has got the token, and chooses for itself.
    if (kept && kept.client !== client) this.forget(dialect);
    if (kept?.client !== client) kept = { client, state: {}, users: 0, usedAt: now };
    this.#kept.set(dialect, kept);
    kept.users++;
    kept.usedAt = now;
    return { state: kept.state, release: () => void kept.users-- };
  }

  forget(dialect: string): void {
    const kept = this.#kept.get(dialect);
    this.#kept.delete(dialect);
    if (kept) endState(kept.state);
  }

  forgetIdle(now: number, idleMs: number): void {
    for (const [dialect, kept] of this.#kept) {
      if (kept.users === 0 && now - kept.usedAt >= idleMs) this.forget(dialect);
    }
  }

  close(): void {
    for (const dialect of this.#kept.keys()) this.forget(dialect);
  }
}
