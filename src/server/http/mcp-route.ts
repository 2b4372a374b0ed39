/** The HTTP route of MCP: each dialect has its own path, and each request needs a token. */
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Dialect } from '../../dialects/dialect.ts';
import type { Engine } from '../../engine/index.ts';
import type { App } from '../mcp/app.ts';
import { createSession } from '../mcp/library/session.ts';
import { ProtectedResources } from '../oauth/protected-resource.ts';
import type { OAuthSettings } from '../oauth/settings.ts';
import type { GrantedAccess } from '../web/admission.ts';
import { MemoryBudget } from '../web/body.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import type { Grant } from '../web/tokens/tokens.ts';
import { NOT_FOUND, type Route, type WebRequest, type WebServer } from '../web/web-server.ts';
import { pathsOf, workspaceIn } from './address.ts';
import { type Endpoint, serveMcp } from './endpoint.ts';
import { Principal } from './principal.ts';
import { type CreateServer, HttpSessions, type SessionStore } from './sessions/sessions.ts';
import { Stateless } from './stateless.ts';

/** The longest delay that a timer accepts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface McpOptions {
  /** Gives an engine over the same directories that cannot change anything, for read-only tokens. */
  readOnlyEngine(): Engine;
  createServer?: CreateServer;
  /** Announces changes to clients that listen without a session. */
  bus?: ServerEventBus;
  /** The authorization server whose tokens the server accepts, too. */
  oauth?: OAuthSettings;
  /** Where sessions are stored. */
  store: SessionStore;
}

export class McpRoute implements Route {
  readonly #app: App;
  readonly #server: WebServer;
  readonly #options: McpOptions;
  readonly #sessions: HttpSessions;
  readonly #endpoint: Endpoint;
  readonly #principals = new Map<Grant, Principal>();
  readonly #dialects: ReadonlyMap<string, Dialect>;
  /** Set if an authorization server issues tokens. */
  readonly resources: ProtectedResources | undefined;

  constructor(app: App, server: WebServer, options: McpOptions) {
    this.#app = app;
    this.#server = server;
    this.#options = options;
    const { createServer = createSession, bus } = options;
    const { limits } = server;
    this.#sessions = new HttpSessions(limits, createServer, options.store);
    this.#endpoint = {
      limits,
      sessions: this.#sessions,
      stateless: new Stateless(app, createServer, limits, bus),
      memory: new MemoryBudget(limits.allBodiesBytes),
      openCalls: () => this.#openCalls(),
      unsentBytes: () => server.unsentBytes,
    };
    this.#dialects = pathsOf(app.dialects);
    const { oauth: settings } = options;
    this.resources =
      settings &&
      new ProtectedResources({
        settings,
        paths: this.#dialects,
        canChange: app.engine.roots.some(({ writable }) => writable),
        isTaken: (name) => server.hasTokenOf(name),
      });
  }

  /** Matches every path, so that nobody learns without a token which paths exist. */
  matches(): boolean {
    return true;
  }

  async serve({ reply, path, query, expectsContinue }: WebRequest): Promise<Refusal | undefined> {
    const access = this.resources ? await this.#accessOf(reply, path) : this.#grantOf(reply);
    if (!access) return undefined;
    const { grant, issued } = access;
    const full = this.#server.accept(reply, grant);
    if (full) return full;
    const dialect = this.#dialects.get(path);
    if (!dialect) return NOT_FOUND;
    const principal = this.#principalOf(grant);
    if (!principal.mayUse(dialect.name))
      return { status: 403, message: `This token gives no access to the dialect ${dialect.name}` };
    const named = workspaceIn(query, dialect);
    if ('status' in named) return named;
    const app = principal.appFor(dialect);
    const whyNotInScope =
      issued &&
      ((messages: readonly unknown[]) => this.resources?.whyNotInScope(path, issued.scopes, messages));
    if (issued && reply.request.method === 'GET') endAt(reply, issued.expiresAt);
    return serveMcp(this.#endpoint, { reply, principal, app, ...named, expectsContinue, whyNotInScope });
  }

  #grantOf(reply: Reply): GrantedAccess | undefined {
    const grant = this.#server.grantOf(reply);
    return grant && { grant };
  }

  #accessOf(reply: Reply, path: string): Promise<GrantedAccess | undefined> {
    const resources = this.resources!;
    return this.#server.accessOf(reply, {
      challenge: () => resources.challenge(path),
      open: (token) => resources.open(token, path),
    });
  }

  revoke(grant: Grant): void {
    const principal = this.#principals.get(grant);
    if (!principal) return;
    this.#principals.delete(grant);
    this.#sessions.endOf(principal);
    principal.close();
  }

  tick(now: number): void {
    this.#sessions.tick(now);
    const { sessionIdleMs } = this.#server.limits;
    for (const principal of this.#principals.values()) principal.forgetIdle(now, sessionIdleMs);
    if (this.resources) this.#forgetIdlePrincipals(now - sessionIdleMs);
  }

  /** An authorization server may have any number of subjects, so the server forgets those that are idle for long. */
  #forgetIdlePrincipals(before: number): void {
    for (const [grant, principal] of this.#principals) {
      if (this.#server.hasTokenOf(grant.name) || principal.usedAt >= before) continue;
      if (principal.callLimit.size > 0 || this.#sessions.hasAny(principal)) continue;
      this.#principals.delete(grant);
      this.resources?.forget(grant);
      principal.close();
    }
  }

  async close(): Promise<void> {
    this.#sessions.closeAll('The server is shutting down');
    await this.#endpoint.stateless.close();
    for (const principal of this.#principals.values()) principal.close();
  }

  #principalOf(grant: Grant): Principal {
    let principal = this.#principals.get(grant);
    if (!principal) {
      const engine = grant.readOnly ? this.#options.readOnlyEngine() : this.#app.engine;
      principal = new Principal(grant, { ...this.#app, engine, changing: this.#app.engine });
      this.#principals.set(grant, principal);
    }
    principal.usedAt = Date.now();
    return principal;
  }

  #openCalls(): number {
    let calls = 0;
    for (const { callLimit } of this.#principals.values()) calls += callLimit.size;
    return calls;
  }
}

/** A stream ends when the token that opened it expires: the client must come back with another token. */
function endAt(reply: Reply, at: number): void {
  const timer = setTimeout(() => reply.end(), Math.min(at - Date.now(), LONGEST_TIMER_MS));
  timer.unref();
  reply.whenOver(() => clearTimeout(timer));
}
