/** The sessions of clients that begin with `initialize`: a bounded number, which only their own tokens find. */
import { randomUUID } from 'node:crypto';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { App } from '../mcp/app.ts';
import type { SessionShares } from '../mcp/session.ts';
import { endState } from '../mcp/session-state.ts';
import { MemoryBudget } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal } from '../web/reply.ts';
import { fixedWorkspace } from './address.ts';
import { EventStreams } from './event-streams.ts';
import type { Principal } from './principal.ts';
import { SessionTransport } from './session-transport.ts';

export type CreateServer = (app: App, shares: SessionShares) => Server | McpServer;

/** A message of the protocol library may repeat what the client sent. */
const MAX_LOG_LENGTH = 300;
/** A session that a client used this recently does not make room for another. */
const RECENT_MS = 60_000;

export interface HttpSession {
  transport: SessionTransport;
  principal: Principal;
  app: App;
  /** The directory that its URL names as the workspace. */
  workspace: string | undefined;
  /** Its id in the trace; no client knows it. */
  traceId: string;
  usedAt: number;
}

/** Who asks for what: the token, the dialect, and the workspace that the URL names. */
export interface ClientContext {
  principal: Principal;
  app: App;
  workspace: string | undefined;
}

export class Sessions {
  readonly #byId = new Map<string, HttpSession>();
  readonly #limits: HttpLimits;
  readonly #create: CreateServer;
  readonly #replayMemory: MemoryBudget;

  constructor(limits: HttpLimits, create: CreateServer) {
    this.#limits = limits;
    this.#create = create;
    this.#replayMemory = new MemoryBudget(limits.allReplayBytes);
  }

  /** Only the token that opened a session finds it, and only under the same URL. */
  find(id: string, { principal, app, workspace }: ClientContext): HttpSession | undefined {
    const session = this.#byId.get(id);
    if (session?.principal !== principal || session.app !== app) return undefined;
    return session.workspace === workspace ? session : undefined;
  }

  async open({ principal, app, workspace }: ClientContext, now: number): Promise<HttpSession | Refusal> {
    const state = workspace === undefined ? undefined : await fixedWorkspace(app, workspace);
    if (state && 'status' in state) return state;
    const refusal = this.#makeRoom(principal, now);
    if (refusal) {
      if (state) endState(state);
      return refusal;
    }
    const transport = new SessionTransport(randomUUID(), new EventStreams(this.#limits, this.#replayMemory));
    const traceId = randomUUID();
    const session: HttpSession = { transport, principal, app, workspace, traceId, usedAt: now };
    this.#byId.set(transport.sessionId, session);
    transport.onclose = () => {
      this.#byId.delete(transport.sessionId);
      if (state) endState(state);
    };
    transport.onerror = (error) => app.log(error.message.slice(0, MAX_LOG_LENGTH));
    await this.#create(app, { callLimit: principal.callLimit, id: traceId, ...(state && { state }) }).connect(
      transport,
    );
    return session;
  }

  endIdle(now: number): void {
    for (const { transport, usedAt } of this.#byId.values()) {
      transport.tick(now);
      if (!transport.isBusy && now - usedAt >= this.#limits.sessionIdleMs) void transport.close();
    }
  }

  hasAny(principal: Principal): boolean {
    for (const session of this.#byId.values()) if (session.principal === principal) return true;
    return false;
  }

  endOf(principal: Principal): void {
    for (const session of this.#byId.values())
      if (session.principal === principal) void session.transport.close();
  }

  endAll(why: string): void {
    for (const { transport } of this.#byId.values()) transport.end(why);
  }

  /** When there are too many, ends the session of this token that has been idle the longest. */
  #makeRoom(principal: Principal, now: number): Refusal | undefined {
    const { sessions, sessionsPerToken } = this.#limits;
    let own = 0;
    let oldest: HttpSession | undefined;
    for (const session of this.#byId.values()) {
      if (session.principal !== principal) continue;
      own++;
      if (session.transport.isBusy || now - session.usedAt < RECENT_MS) continue;
      if (!oldest || session.usedAt < oldest.usedAt) oldest = session;
    }
    const ownTooMany = own >= sessionsPerToken;
    if (!ownTooMany && this.#byId.size < sessions) return undefined;
    if (oldest) {
      void oldest.transport.close();
      return undefined;
    }
    const message = ownTooMany ? 'This token has too many sessions' : 'There are too many sessions';
    return { status: ownTooMany ? 429 : 503, retryAfter: 30, message: `${message}: end one, or try later` };
  }
}
