/** Who has the page open: a cookie stands for a token that was shown once, for a while and for this page alone. */
import { createHash, randomBytes } from 'node:crypto';
import type { Reply } from '../web/reply.ts';
import type { Grant } from '../web/tokens.ts';

const HOUR_MS = 60 * 60_000;
const IDLE_MS = 4 * HOUR_MS;
const LONGEST_MS = 24 * HOUR_MS;
const MOST = 256;
const MOST_OF_ONE_TOKEN = 32;
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

  /** Gives the id that stands in the cookie. */
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

  /** The one that was opened first makes room, so that a script that keeps coming locks nobody else out. */
  #makeRoom(grant: Grant): void {
    const own = [...this.#byHash].filter(([, session]) => session.grant === grant);
    const [first] = own.length >= MOST_OF_ONE_TOKEN ? own : this.#byHash.size >= MOST ? this.#byHash : [];
    if (first) this.#end(...first);
  }
}

/** An open stream is use. */
function isOver({ openedAt, usedAt, streams }: PageSession, now: number): boolean {
  return now - openedAt >= LONGEST_MS || (streams.size === 0 && now - usedAt >= IDLE_MS);
}

/** Cookies do not know ports: the name does, so that two servers on one machine keep theirs. */
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
