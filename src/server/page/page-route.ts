/** The route of the Tool Trace page: its files for everybody, and its data for clients with a token or a session. */
import type { IncomingMessage } from 'node:http';
import type { About } from '../../page/wire.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { TraceEvent } from '../../trace/events/event.ts';
import { ConcurrencyLimit } from '../mcp/concurrency-limit.ts';
import { MemoryBudget } from '../web/body.ts';
import { isSameHost } from '../web/host-and-origin.ts';
import { methodNotAllowed, type Refusal, type Reply } from '../web/reply.ts';
import type { Grant } from '../web/tokens/tokens.ts';
import { NOT_FOUND, type Route, type WebRequest, type WebServer } from '../web/web-server.ts';
import { PageEntries } from './entries.ts';
import { LiveFeed } from './live-feed.ts';
import {
  cookieName,
  cookieOf,
  dropCookie,
  type PageSession,
  type PageSessionStore,
  PageSessions,
  setCookie,
} from './page-sessions.ts';
import { RequestQuota } from './request-quota.ts';
import type { PageSources } from './sources.ts';
import { StaticFiles } from './static-files.ts';
import { sendEvents, sendLive } from './streams.ts';
import { readUndoRequest } from './undo-request.ts';
import { isUnlimited, type ServedRoot, seesCallsOf, Visibility } from './visibility.ts';

const API_PATH = '/page/';
const MAX_EVENTS = 100_000;
const ALL_BODIES_BYTES = 1024 * 1024;
const EVENT_ID = /^[\w.:@-]{1,128}$/;
/** Replies are data: no browser may run them, show them in a frame or give them to another page. */
const DATA_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export interface PageRouteOptions {
  sources: PageSources;
  version: string;
  /** The served directories. Default: the page shows the events of all servers. */
  roots?: readonly ServedRoot[];
  /** The directory of the built page. Default: the one next to the program. */
  directory?: string;
  /** Where sessions are stored. */
  store: PageSessionStore;
}

interface AdmittedRequest {
  reply: Reply;
  grant: Grant;
  /** The session of the cookie; undefined if the request showed a token. */
  session: PageSession | undefined;
  query: string;
  expectsContinue: boolean;
}

type HandlerResult = Promise<Refusal | undefined> | Refusal | undefined;
type Handler = (request: AdmittedRequest, name: string) => HandlerResult;

export class PageRoute implements Route {
  readonly #server: WebServer;
  readonly #options: PageRouteOptions;
  readonly #files: StaticFiles;
  readonly #sessions: PageSessions;
  readonly #visibility: Visibility;
  readonly #feed: LiveFeed;
  readonly #entries: PageEntries;
  readonly #bodyMemory = new MemoryBudget(ALL_BODIES_BYTES);
  /** Limits lists of events: each may hold all events in memory while it is sent. */
  readonly #reading = new RequestQuota({ total: 4, perToken: 2 });
  readonly #streams = new RequestQuota({ total: 128, perToken: 32 });
  /** Limits searches for one event, each of which may have to read the whole log. */
  readonly #finding = new ConcurrencyLimit(2);
  /** Limits single events, diffs and undos, which read whole files. */
  readonly #working = new RequestQuota({ total: 16, perToken: 8 });
  readonly #routes: readonly { at: RegExp; methods: Readonly<Record<string, Handler>> }[];

  constructor(server: WebServer, options: PageRouteOptions) {
    const { sources, roots, directory } = options;
    this.#server = server;
    this.#options = options;
    this.#files = new StaticFiles(directory);
    this.#sessions = new PageSessions(options.store, () => server.grants);
    this.#visibility = new Visibility(roots);
    this.#feed = new LiveFeed(sources.events, (event) => this.#visibility.covers(event.roots));
    this.#entries = new PageEntries(sources.history, this.#visibility);
    this.#routes = [
      {
        at: /^session$/,
        methods: {
          POST: (request) => this.#openSession(request),
          DELETE: (request) => this.#endSession(request),
        },
      },
      { at: /^about$/, methods: { GET: (request) => this.#showAbout(request) } },
      { at: /^events$/, methods: { GET: (request) => this.#listEvents(request) } },
      { at: /^events\/([^/]+)$/, methods: { GET: (request, id) => this.#showEvent(request, id) } },
      { at: /^live$/, methods: { GET: (request) => this.#goLive(request) } },
      { at: /^undone$/, methods: { GET: (request) => this.#listUndone(request) } },
      { at: /^entries\/([^/]+)$/, methods: { GET: (request, id) => this.#showEntry(request, id) } },
      { at: /^entries\/([^/]+)\/undo$/, methods: { POST: (request, id) => this.#undo(request, id) } },
    ];
  }

  matches(path: string): boolean {
    return path.startsWith(API_PATH) || this.#files.has(path);
  }

  async serve({ reply, path, query, expectsContinue }: WebRequest): Promise<Refusal | undefined> {
    if (this.#files.has(path)) return this.#files.serve(reply, path);
    for (const [name, value] of Object.entries(DATA_HEADERS)) reply.response.setHeader(name, value);
    const admitted = await this.#admit(reply);
    if (!admitted || 'status' in admitted) return admitted;
    const refusal = this.#server.accept(reply, admitted.grant);
    if (refusal) return refusal;
    const request = { reply, query, expectsContinue, ...admitted };
    const { method = '' } = reply.request;
    const rest = path.slice(API_PATH.length);
    for (const { at, methods } of this.#routes) {
      const found = at.exec(rest);
      if (!found) continue;
      if (Object.hasOwn(methods, method)) return methods[method]!(request, found[1] ?? '');
      return methodNotAllowed(Object.keys(methods));
    }
    return NOT_FOUND;
  }

  /** Ends the sessions of a token that is no longer valid. */
  revoke(grant: Grant): void {
    this.#sessions.endOf(grant);
  }

  tick(now: number): void {
    this.#sessions.tick(now);
    this.#feed.tick(now);
  }

  close(): void {
    this.#feed.close();
  }

  /** Accepts a token in the header, or else the cookie. If there is neither, it also sends the refusal. */
  async #admit(reply: Reply): Promise<Pick<AdmittedRequest, 'grant' | 'session'> | Refusal | undefined> {
    const { request } = reply;
    const { authorization, cookie } = request.headers;
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    const shown = authorization !== undefined;
    const session = shown ? undefined : await this.#sessionOf(cookieOf(cookie, this.#cookie));
    const grant = session?.grant ?? this.#server.grantOf(reply);
    if (!grant) return undefined;
    // A browser adds the cookie even to requests from other pages: accept it only from this page.
    if ((session || changes) && !isSameOrigin(request))
      return { status: 403, message: 'Only the page of this server may do this' };
    if (session && changes && !hasOwnOrigin(request))
      return { status: 403, message: 'This needs the Origin of this server, or a token' };
    return { grant, session };
  }

  get #cookie(): string {
    // The servers of a fleet share page sessions, and may have different ports.
    return cookieName(this.#options.store.sessions.isShared ? 'fleet' : this.#server.port);
  }

  /** While the database is unreachable, the page has no session: it could not show anything anyway. */
  #sessionOf(id: string | undefined): Promise<PageSession | undefined> {
    return this.#sessions.find(id, Date.now()).catch((error: unknown) => {
      if (error instanceof StateUnavailable) return undefined;
      throw error;
    });
  }

  async #openSession({ reply, grant, session }: AdmittedRequest): Promise<Refusal | undefined> {
    if (session) return { status: 401, message: 'A token is needed: Authorization: Bearer …' };
    await this.#sessions.end(cookieOf(reply.request.headers.cookie, this.#cookie));
    const id = await this.#sessions.open(grant, Date.now());
    reply.empty(204, { 'Set-Cookie': setCookie(this.#cookie, id, this.#server.isSecure) });
    return undefined;
  }

  async #endSession({ reply }: AdmittedRequest): Promise<Refusal | undefined> {
    await this.#sessions.end(cookieOf(reply.request.headers.cookie, this.#cookie));
    reply.empty(204, { 'Set-Cookie': dropCookie(this.#cookie, this.#server.isSecure) });
    return undefined;
  }

  #showAbout({ reply, grant }: AdmittedRequest): HandlerResult {
    const { clients } = this.#options.sources;
    const about: About = {
      version: this.#options.version,
      roots: this.#visibility.roots,
      who: grant.name,
      mayUndo: this.#visibility.mayUndoAnything(grant),
      ...(clients && isUnlimited(grant) && { clients }),
    };
    reply.json(200, JSON.stringify(about));
    return undefined;
  }

  async #listEvents({ reply, grant }: AdmittedRequest): Promise<Refusal | undefined> {
    const refusal = this.#reading.acquire(grant);
    if (refusal) return refusal;
    try {
      const cursor = this.#feed.cursorAt(this.#feed.position(Date.now()));
      const events = await this.#options.sources.events.recent(
        MAX_EVENTS,
        (event) => seesCallsOf(grant, event.who) && this.#visibility.covers(event.roots),
      );
      await sendEvents(reply, events, cursor);
    } finally {
      this.#reading.release(grant);
    }
    return undefined;
  }

  async #showEvent({ reply, grant }: AdmittedRequest, id: string): Promise<Refusal | undefined> {
    return this.#work(reply, grant, () => this.#finding.run(() => this.#findEvent(grant, id)));
  }

  async #findEvent(grant: Grant, id: string): Promise<object | Refusal> {
    const isWanted = ({ id: own, who, roots }: TraceEvent) =>
      own === id && seesCallsOf(grant, who) && this.#visibility.covers(roots);
    const [event] = EVENT_ID.test(id) ? await this.#options.sources.events.recent(1, isWanted) : [];
    return event ?? { status: 404, message: 'There is no such event' };
  }

  #goLive({ reply, grant, session, query }: AdmittedRequest): HandlerResult {
    const refusal = this.#streams.acquire(grant);
    if (refusal) return refusal;
    session?.streams.add(reply);
    reply.whenOver(() => {
      this.#streams.release(grant);
      session?.streams.delete(reply);
      if (session) session.usedAt = Date.now();
    });
    const after = new URLSearchParams(query).get('after');
    sendLive(reply, this.#feed, grant, after ?? undefined);
    return undefined;
  }

  async #showEntry({ reply, grant }: AdmittedRequest, id: string): Promise<Refusal | undefined> {
    return this.#work(reply, grant, () => this.#entries.details(grant, id));
  }

  async #listUndone({ reply, grant }: AdmittedRequest): Promise<Refusal | undefined> {
    return this.#work(reply, grant, () => this.#entries.undone(grant));
  }

  async #undo(request: AdmittedRequest, id: string): Promise<Refusal | undefined> {
    const { reply, grant } = request;
    const asked = await readUndoRequest(request, this.#bodyMemory);
    if (asked === undefined || 'status' in asked) return asked;
    return this.#work(reply, grant, () => this.#entries.undo(grant, id, asked.force));
  }

  async #work(
    reply: Reply,
    grant: Grant,
    work: () => Promise<object | Refusal>,
  ): Promise<Refusal | undefined> {
    const refusal = this.#working.acquire(grant);
    if (refusal) return refusal;
    try {
      const outcome = await work();
      if ('status' in outcome) return outcome as Refusal;
      reply.json(200, JSON.stringify(outcome));
      return undefined;
    } finally {
      this.#working.release(grant);
    }
  }
}

/** Browsers say where a request comes from. A client that does not is no browser: its cookie is sent on purpose. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}

function hasOwnOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  return origin !== undefined && isSameHost(origin.toLowerCase(), host!.toLowerCase());
}
