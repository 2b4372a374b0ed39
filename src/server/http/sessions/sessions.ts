/**
 * The sessions of clients that begin with `initialize`. Their number is limited, and only the token that opened a
 * session can use it.
 *
 * The store knows all sessions and what they remember; `HttpSessions` has those that this server has open. In a fleet a
 * client's next request may reach any server, which then opens the session as well.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { Session } from '../../../dialects/dialect.ts';
import { SessionUse } from '../../../state/session-use.ts';
import type { SessionFacts, Sessions, StoredSession } from '../../../state/sessions.ts';
import { type SharedPaths, StateUnavailable } from '../../../state/state.ts';
import type { App } from '../../mcp/app.ts';
import { type SessionShares, toolCallsOf } from '../../mcp/library/session.ts';
import { endState } from '../../mcp/session-state.ts';
import { MemoryBudget } from '../../web/body.ts';
import type { HttpLimits } from '../../web/limits.ts';
import type { Refusal } from '../../web/reply.ts';
import { keyOf, type ReadKeys, SignedIds } from '../../web/tokens/signed-ids.ts';
import { fixedWorkspace } from '../address.ts';
import type { Principal } from '../principal.ts';
import { Relay } from '../relay.ts';
import { EventStreams } from './event-streams.ts';
import { SessionTransport } from './session-transport.ts';
import { SharedSession } from './shared-session.ts';

export type CreateServer = (app: App, shares: SessionShares) => Server | McpServer;

/** Error messages of the protocol library may quote what the client sent, so the log cuts them. */
const MAX_LOG_LENGTH = 300;
/** A session that was used more recently than this is not ended to make room for another. */
const RECENT_MS = 60_000;
/** Added to the version in the session id if the client has roots. */
const WITH_ROOTS = '_r';
const STORE_UNREACHABLE: Refusal = {
  status: 503,
  retryAfter: 2,
  message: 'The database that keeps the sessions cannot be reached: try again',
};

/** Where sessions are stored, and the keys that sign their ids. */
export interface SessionStore {
  sessions: Sessions;
  readKeys: ReadKeys;
  paths?: SharedPaths | undefined;
}

export interface HttpSession extends ClientContext {
  transport: SessionTransport;
  /** The session's id in the trace, which does not reveal the real session id. */
  traceId: string;
  usedAt: number;
  shared: SharedSession;
  /** The `initialize` params, as long as they could not be stored. */
  unsaved?: SessionFacts | undefined;
}

/** What a request belongs to: its token, its dialect, and the workspace that the URL names. */
export interface ClientContext {
  principal: Principal;
  app: App;
  workspace: string | undefined;
}

export class HttpSessions {
  readonly #byId = new Map<string, HttpSession>();
  readonly #limits: HttpLimits;
  readonly #create: CreateServer;
  readonly #replayMemory: MemoryBudget;
  readonly #store: SessionStore;
  readonly #ids: SignedIds;
  readonly #relay: Relay;
  readonly #opening = new Map<string, Promise<HttpSession | Refusal>>();
  /** The name of this server in the fleet; undefined without a fleet. */
  readonly #server: string | undefined;
  readonly #use: SessionUse;

  constructor(limits: HttpLimits, create: CreateServer, store: SessionStore) {
    this.#limits = limits;
    this.#create = create;
    this.#replayMemory = new MemoryBudget(limits.allReplayBytes);
    this.#store = store;
    this.#use = new SessionUse(store.sessions, limits.sessionIdleMs);
    this.#ids = new SignedIds('session', store.readKeys);
    const open = () => [...this.#byId].map(([id, { transport }]) => [keyOf(id), transport] as const);
    this.#relay = new Relay(store.sessions, open as () => [string, SessionTransport][]);
    this.#server = store.sessions.isShared ? randomUUID().slice(0, 8) : undefined;
  }

  /** Finds a session only for the token that opened it, and only at the same URL. */
  async find(id: string, context: ClientContext): Promise<HttpSession | Refusal | undefined> {
    const known = this.#byId.get(id);
    if (known && !isOf(known, context)) return undefined;
    const signed = known ? { key: keyOf(id), says: '' } : await this.#ids.read(id, boundTo(context));
    if (!signed) return undefined;
    let stored: StoredSession | undefined;
    try {
      stored = await this.#store.sessions.find(signed.key);
      if (!stored && known?.unsaved) stored = await this.#save(id, known);
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error;
      return this.#withoutStore(id, signed.says, known, context);
    }
    if (!stored) {
      known?.transport.end();
      return undefined;
    }
    const session = this.#byId.get(id) ?? (await this.#openHere(id, stored.opening, context));
    const applying = 'status' in session ? undefined : session.shared.apply(stored);
    if (applying) await applying;
    return session;
  }

  /** Opens a session with the params of `initialize`. */
  async open(context: ClientContext, params: unknown, now: number): Promise<HttpSession | Refusal> {
    const refusal = this.#makeRoom(context.principal, now);
    if (refusal) return refusal;
    const { protocolVersion = '', capabilities } = (params ?? {}) as InitializeParams;
    const version = /^[\d-]{10}$/.test(protocolVersion) ? protocolVersion : '';
    const id = await this.#ids.make(boundTo(context), `${version}${capabilities?.roots ? WITH_ROOTS : ''}`);
    const session = await this.#start(id, context, now);
    if ('status' in session) return session;
    session.unsaved = (params ?? {}) as SessionFacts;
    // Store it before the client learns its id, so that other servers find it, unless the database is unreachable.
    await this.#save(id, session).catch((error: unknown) => {
      if (!(error instanceof StateUnavailable)) throw error;
    });
    return session;
  }

  /** Ends a session for good, at all servers. */
  async end({ transport }: HttpSession): Promise<void> {
    const key = keyOf(transport.sessionId);
    transport.end();
    await this.#store.sessions.end(key);
    this.#relay.ended(key);
  }

  tick(now: number): void {
    for (const { transport, usedAt } of this.#byId.values()) {
      transport.tick(now);
      // Close it here only: another server may still use it.
      if (!transport.isBusy && now - usedAt >= this.#limits.sessionIdleMs) void transport.close();
    }
    void this.#endThoseOver(now);
  }

  hasAny(principal: Principal): boolean {
    for (const session of this.#byId.values()) if (session.principal === principal) return true;
    return false;
  }

  endOf(principal: Principal): void {
    for (const session of this.#byId.values())
      if (session.principal === principal) void this.end(session).catch(() => {});
  }

  /** Closes all sessions because this server stops. Other servers can continue them. */
  closeAll(why: string): void {
    this.#relay.close();
    for (const { transport } of this.#byId.values()) transport.end(why);
  }

  async #save(id: string, session: HttpSession): Promise<StoredSession | undefined> {
    const { sessions } = this.#store;
    const { unsaved, principal } = session;
    if (!unsaved) return undefined;
    const idleMs = this.#limits.sessionIdleMs;
    await sessions.open({ id: keyOf(id), owner: principal.grant.name, opening: unsaved, idleMs });
    session.unsaved = undefined;
    return sessions.find(keyOf(id));
  }

  /** Without the store, only sessions that remember nothing continue: the server must not guess a client's choices. */
  async #withoutStore(
    id: string,
    says: string,
    known: HttpSession | undefined,
    context: ClientContext,
  ): Promise<HttpSession | Refusal> {
    if (context.app.dialects[0]!.choosesWorkspace && context.workspace === undefined)
      return STORE_UNREACHABLE;
    if (known) return known;
    if (says === '' || says.endsWith(WITH_ROOTS)) return STORE_UNREACHABLE;
    const opening = { protocolVersion: says, capabilities: {}, clientInfo: { name: '', version: '' } };
    return this.#openHere(id, opening, context);
  }

  async #openHere(id: string, opening: SessionFacts, context: ClientContext): Promise<HttpSession | Refusal> {
    const known = this.#byId.get(id);
    if (known) return known;
    let beginning = this.#opening.get(id);
    if (!beginning) {
      beginning = this.#restore(id, opening, context).finally(() => this.#opening.delete(id));
      this.#opening.set(id, beginning);
    }
    return beginning;
  }

  async #restore(id: string, opening: SessionFacts, context: ClientContext): Promise<HttpSession | Refusal> {
    const now = Date.now();
    const refusal = this.#makeRoom(context.principal, now);
    if (refusal) return refusal;
    const session = await this.#start(id, context, now);
    if (!('status' in session)) await session.transport.restore(opening);
    return session;
  }

  async #start(id: string, context: ClientContext, now: number): Promise<HttpSession | Refusal> {
    const { principal, app, workspace } = context;
    const state: Session | Refusal = workspace === undefined ? {} : await fixedWorkspace(app, workspace);
    if ('status' in state) return state;
    const { sessions: store, paths } = this.#store;
    const key = keyOf(id);
    const streams = new EventStreams(this.#limits, this.#replayMemory, this.#server);
    const fleet = this.#server === undefined ? undefined : this.#fleetPart(key, this.#server);
    const transport = new SessionTransport(id, streams, fleet);
    const traceId = traceIdOf(key);
    const shared = new SharedSession({ app, key, store, paths, state });
    const session: HttpSession = { ...context, transport, traceId, usedAt: now, shared };
    this.#byId.set(id, session);
    transport.onclose = () => {
      this.#byId.delete(id);
      endState(state);
    };
    transport.onerror = (error) => app.log(error.message.slice(0, MAX_LOG_LENGTH));
    const memory = store.isShared ? { memory: shared } : {};
    const { callLimit } = principal;
    const server = this.#create(app, { callLimit, id: traceId, state, ...memory });
    transport.calls = toolCallsOf(server);
    await server.connect(transport);
    return session;
  }

  #fleetPart(key: string, server: string) {
    return {
      server,
      passOn: (message: Parameters<Relay['passOn']>[1]) => this.#relay.passOn(key, message),
      callBegins: () => this.#relay.watch(),
    };
  }

  /** Ends the sessions that ended at another server. */
  async #endThoseOver(now: number): Promise<void> {
    const over = await this.#use.report(now, (since) => {
      const used = [...this.#byId].filter(
        ([, { usedAt, transport, unsaved }]) => !unsaved && (usedAt >= since || transport.isBusy),
      );
      return used.map(([id]) => keyOf(id));
    });
    if (over.length === 0) return;
    for (const [id, { transport }] of this.#byId) if (over.includes(keyOf(id))) transport.end();
  }

  /** If there are too many sessions, ends the one of this token that has been idle the longest. */
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
      void this.end(oldest).catch(() => {});
      return undefined;
    }
    const message = ownTooMany ? 'This token has too many sessions' : 'There are too many sessions';
    return { status: ownTooMany ? 429 : 503, retryAfter: 30, message: `${message}: end one, or try later` };
  }
}

interface InitializeParams {
  protocolVersion?: string;
  capabilities?: { roots?: unknown };
}

function isOf(session: HttpSession, { principal, app, workspace }: ClientContext): boolean {
  return session.principal === principal && session.app === app && session.workspace === workspace;
}

function boundTo({ principal, app, workspace }: ClientContext): string[] {
  const dialect = app.dialects[0]!.name;
  return [principal.grant.name, dialect, ...(workspace === undefined ? [] : [workspace])];
}

/** The id of a session in the trace, which is the same at all servers. */
function traceIdOf(key: string): string {
  const hash = createHash('sha256').update(`trace ${key}`).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
