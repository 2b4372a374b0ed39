/** The sessions of open pages: after a page has shown its token once, a cookie stands for it, for a while. */
import { createHash, randomBytes } from 'node:crypto';
import type { Reply } from '../web/reply.ts';
import type { Grant } from '../web/tokens.ts';

const HOUR_MS = 60 * 60_000;
const IDLE_MS = 4 * HOUR_MS;
const MAX_AGE_MS = 24 * HOUR_MS;
const MAX = 256;
const MAX_PER_TOKEN = 32;
const ID = /^[\w-]{43}$/;

export interface PageSession {
  readonly grant: Grant;
  readonly openedAt: number;
  usedAt: number;
  /** Streams that end with the session. */
  readonly streams: Set<Reply>;
}

export class PageSessions {
  /** By the hash of their id, in the order in which they were opened. */
  readonly #byHash = new Map<string, PageSession>();

  /** Gives the id for the cookie. */
  open(grant: Grant, now: number): string {
    this.#makeRoom(grant);
    const id = randomBytes(32).toString('base64url');
    this.#byHash.set(hashOf(id), { grant, openedAt: now, usedAt: now, streams: new Set() });
    return id;
  }

  find(id: string | undefined, now: number): PageSession | undefined {
    if (id === undefined || !ID.test(id)) return undefined;
    const hash = hashOf(id);
    const session = this.#byHash.get(hash);
    if (!session) return undefined;
    if (isOver(session, now)) {
      this.#end(hash, session);
      return undefined;
    }
    session.usedAt = now;
    return session;
  }

  end(id: string | undefined): void {
    if (id === undefined) return;
    const hash = hashOf(id);
    const session = this.#byHash.get(hash);
    if (session) this.#end(hash, session);
  }

  endOf(grant: Grant): void {
    for (const [hash, session] of this.#byHash) if (session.grant === grant) this.#end(hash, session);
  }

  endIdle(now: number): void {
    for (const [hash, session] of this.#byHash) if (isOver(session, now)) this.#end(hash, session);
  }

  get size(): number {
    return this.#byHash.size;
  }

  #end(hash: string, session: PageSession): void {
    this.#byHash.delete(hash);
    for (const reply of session.streams) reply.destroy();
  }

  /** Ends the oldest session of this token, or of all, so that a script that opens many locks nobody else out. */
  #makeRoom(grant: Grant): void {
    const own = [...this.#byHash].filter(([, session]) => session.grant === grant);
    const [first] = own.length >= MAX_PER_TOKEN ? own : this.#byHash.size >= MAX ? this.#byHash : [];
    if (first) this.#end(...first);
  }
}

/** A session with an open stream is in use. */
function isOver({ openedAt, usedAt, streams }: PageSession, now: number): boolean {
  return now - openedAt >= MAX_AGE_MS || (streams.size === 0 && now - usedAt >= IDLE_MS);
}

/** Browsers share cookies between ports: with the port in its name, two servers on one machine keep theirs apart. */
export function cookieName(port: number): string {
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

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
