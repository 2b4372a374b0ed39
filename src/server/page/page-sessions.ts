/**
 * The sessions of open pages: after a page has shown its token once, a cookie replaces it for a while.
 *
 * The sessions are in the store, so that in a fleet the cookie is valid at every server, and so is signing out.
 */
import { createHash } from 'node:crypto';
import { SessionUse } from '../../state/session-use.ts';
import type { Sessions } from '../../state/sessions.ts';
import type { Reply } from '../web/reply.ts';
import { keyOf, type ReadKeys, SignedIds } from '../web/tokens/signed-ids.ts';
import type { Grant } from '../web/tokens/tokens.ts';

const HOUR_MS = 60 * 60_000;
const IDLE_MS = 4 * HOUR_MS;
const MAX_AGE_MS = 24 * HOUR_MS;
const MAX = 256;
const MAX_PER_TOKEN = 32;

export interface PageSession {
  readonly grant: Grant;
  readonly openedAt: number;
  usedAt: number;
  /** Streams that end with the session. */
  readonly streams: Set<Reply>;
}

export interface PageSessionStore {
  sessions: Sessions;
  readKeys: ReadKeys;
}

export class PageSessions {
  /** The sessions that this server has seen, by id, in the order in which it first saw them. */
  readonly #byId = new Map<string, PageSession>();
  readonly #store: Sessions;
  readonly #ids: SignedIds;
  readonly #grants: () => readonly Grant[];
  readonly #use: SessionUse;

  /** `grants` gives the grants that are valid now. */
  constructor({ sessions, readKeys }: PageSessionStore, grants: () => readonly Grant[]) {
    this.#store = sessions;
    this.#use = new SessionUse(sessions, IDLE_MS);
    this.#ids = new SignedIds('page', readKeys);
    this.#grants = grants;
  }

  /** Opens a session and gives its id, for the cookie. */
  async open(grant: Grant, now: number): Promise<string> {
    this.#makeRoom(grant);
    const id = await this.#ids.make(boundTo(grant), `${now.toString(36)}-${nameOf(grant)}`);
    await this.#store.open({ id: keyOf(id), owner: grant.name, opening: { page: true }, idleMs: IDLE_MS });
    this.#byId.set(id, { grant, openedAt: now, usedAt: now, streams: new Set() });
    return id;
  }

  async find(id: string | undefined, now: number): Promise<PageSession | undefined> {
    if (id === undefined) return undefined;
    const session = this.#byId.get(id) ?? (await this.#known(id, now));
    if (!session) return undefined;
    const isAlive = !isOver(session, now) && (await this.#store.find(keyOf(id)));
    if (!isAlive) {
      this.#drop(id, session);
      return undefined;
    }
    session.usedAt = now;
    this.#byId.set(id, session);
    return session;
  }

  /** Ends a session at all servers. */
  async end(id: string | undefined): Promise<void> {
    const session = id === undefined ? undefined : await this.find(id, Date.now());
    if (!session) return;
    this.#drop(id!, session);
    await this.#store.end(keyOf(id!));
  }

  endOf(grant: Grant): void {
    for (const [id, session] of this.#byId) {
      if (session.grant !== grant) continue;
      this.#drop(id, session);
      void this.#store.end(keyOf(id)).catch(() => {});
    }
  }

  tick(now: number): void {
    for (const [id, session] of this.#byId) if (isOver(session, now)) this.#drop(id, session);
    void this.#dropThoseOver(now);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Recognises a session that was opened at another server. */
  async #known(id: string, now: number): Promise<PageSession | undefined> {
    const [, says = ''] = id.split('.');
    const [time = '', name] = says.split('-');
    const openedAt = Number.parseInt(time, 36);
    const grant = this.#grants().find((each) => nameOf(each) === name);
    if (!grant || !(await this.#ids.read(id, boundTo(grant)))) return undefined;
    return { grant, openedAt, usedAt: now, streams: new Set() };
  }

  /** Drops the sessions that ended at another server. */
  async #dropThoseOver(now: number): Promise<void> {
    const over = await this.#use.report(now, (since) => {
      const used = [...this.#byId].filter(([, { usedAt, streams }]) => usedAt >= since || streams.size > 0);
      return used.map(([id]) => keyOf(id));
    });
    if (over.length === 0) return;
    for (const [id, session] of this.#byId) if (over.includes(keyOf(id))) this.#drop(id, session);
  }

  #drop(id: string, session: PageSession): void {
    this.#byId.delete(id);
    for (const reply of session.streams) reply.destroy();
  }

  /** Ends the oldest session of this token, or of all tokens, so that a script that opens many locks nobody out. */
  #makeRoom(grant: Grant): void {
    const own = [...this.#byId].filter(([, session]) => session.grant === grant);
    const [first] = own.length >= MAX_PER_TOKEN ? own : this.#byId.size >= MAX ? this.#byId : [];
    if (!first) return;
    this.#drop(...first);
    void this.#store.end(keyOf(first[0])).catch(() => {});
  }
}

/** Whether a session has expired. One with an open stream is in use and not idle. */
function isOver({ openedAt, usedAt, streams }: PageSession, now: number): boolean {
  return now - openedAt >= MAX_AGE_MS || (streams.size === 0 && now - usedAt >= IDLE_MS);
}

/** The hash is part of it, so that another token with the same name cannot use the session. */
function boundTo(grant: Grant): string[] {
  const { hash } = grant as { hash?: Buffer };
  return [grant.name, hash?.toString('hex') ?? ''];
}

/** A hash of the token's name, which may have characters that are not allowed in a cookie. */
function nameOf({ name }: Grant): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

/** Browsers share cookies between ports. With the port in the name, two servers on one machine keep theirs apart. */
export function cookieName(port: number | 'fleet'): string {
  return `cofferdam-page-${port}`;
}

export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}

export function setCookie(name: string, id: string, secure: boolean): string {
  return `${name}=${id}; Path=/page; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

export function dropCookie(name: string, secure: boolean): string {
  return `${setCookie(name, '', secure)}; Max-Age=0`;
}
