/** The sessions of clients that begin with `initialize`: found by id and owner, and not too many of them. */
import { randomUUID } from 'node:crypto';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { App } from '../mcp/app.ts';
import { endState, type SessionShares } from '../mcp/session.ts';
import { MemoryBudget } from '../web/body.ts';
import type { HttpLimits } from '../web/limits.ts';
import type { Refusal } from '../web/reply.ts';
import { fixedWorkspace } from './address.ts';
import { EventStreams } from './event-streams.ts';
import type { Holder } from './holder.ts';
import { SessionTransport } from './session-transport.ts';

export type CreateServer = (app: App, shares: SessionShares) => Server | McpServer;

/** What the library says may repeat what the client sent. */
const LONGEST_LOG = 300;
/** A session that was used this recently is not given up for another. */
const FRESH_MS = 60_000;

export interface HttpSession {
  transport: SessionTransport;
  holder: Holder;
  app: App;
  /** The directory that its address names as the workspace. */
  workspace: string | undefined;
  /** Its id in the trace, which no client knows. */
  traceId: string;
  usedAt: number;
}

/** Where a client is connected: whose token, which dialect, and the workspace that the address names. */
export interface Place {
  holder: Holder;
  app: App;
  workspace: string | undefined;
}

export class Sessions {
  readonly #byId = new Map<string, HttpSession>();
  readonly #limits: HttpLimits;
  readonly #create: CreateServer;
  readonly #kept: MemoryBudget;

  constructor(limits: HttpLimits, create: CreateServer) {
    this.#limits = limits;
    this.#create = create;
    this.#kept = new MemoryBudget(limits.allKeptBytes);
  }

  /** Only its owner finds a session, and only where it was opened. */
  find(id: string, { holder, app, workspace }: Place): HttpSession | undefined {
    const session = this.#byId.get(id);
    if (session?.holder !== holder || session.app !== app) return undefined;
    return session.workspace === workspace ? session : undefined;
  }

  async open({ holder, app, workspace }: Place, now: number): Promise<HttpSession | Refusal> {
    const state = workspace === undefined ? undefined : await fixedWorkspace(app, workspace);
    if (state && 'status' in state) return state;
    const refusal = this.#makeRoom(holder, now);
    if (refusal) {
      if (state) endState(state);
      return refusal;
    }
    const transport = new SessionTransport(randomUUID(), new EventStreams(this.#limits, this.#kept));
    const traceId = randomUUID();
    const session: HttpSession = { transport, holder, app, workspace, traceId, usedAt: now };
    this.#byId.set(transport.sessionId, session);
    transport.onclose = () => {
      this.#byId.delete(transport.sessionId);
      if (state) endState(state);
    };
    transport.onerror = (error) => app.log(error.message.slice(0, LONGEST_LOG));
    await this.#create(app, { gate: holder.gate, id: traceId, ...(state && { state }) }).connect(transport);
    return session;
  }

  endIdle(now: number): void {
    for (const { transport, usedAt } of this.#byId.values()) {
      transport.tick(now);
      if (!transport.busy && now - usedAt >= this.#limits.sessionIdleMs) void transport.close();
    }
  }

  endOf(holder: Holder): void {
    for (const session of this.#byId.values()) if (session.holder === holder) void session.transport.close();
  }

  endAll(why: string): void {
    for (const { transport } of this.#byId.values()) transport.end(why);
  }

  /** When there are too many, the one of this token that was left alone the longest makes room. */
  #makeRoom(holder: Holder, now: number): Refusal | undefined {
    const { sessions, sessionsOfOneToken } = this.#limits;
    let own = 0;
    let oldest: HttpSession | undefined;
    for (const session of this.#byId.values()) {
      if (session.holder !== holder) continue;
      own++;
      if (session.transport.busy || now - session.usedAt < FRESH_MS) continue;
      if (!oldest || session.usedAt < oldest.usedAt) oldest = session;
    }
    const ownTooMany = own >= sessionsOfOneToken;
    if (!ownTooMany && this.#byId.size < sessions) return undefined;
    if (oldest) {
      void oldest.transport.close();
      return undefined;
    }
    const message = ownTooMany ? 'This token has too many sessions' : 'There are too many sessions';
    return { status: ownTooMany ? 429 : 503, retryAfter: 30, message: `${message}: end one, or try later` };
  }
}
