/** The Tool Trace page: its files for everybody, its session for a token, and what happened for who has one. */
import type { IncomingMessage } from 'node:http';
import type { About } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/event.ts';
import { Gate } from '../mcp/call-limit.ts';
import type { Admission } from '../web/admission.ts';
import { MemoryBudget, readBody } from '../web/body.ts';
import type { OpenReplies } from '../web/open-replies.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import type { Grant } from '../web/tokens.ts';
import { Entries } from './entries.ts';
import { LiveFeed } from './live-feed.ts';
import {
  cookieName,
  cookieOf,
  dropCookie,
  type PageSession,
  PageSessions,
  setCookie,
} from './page-sessions.ts';
import { Places } from './places.ts';
import { type ServedRoot, Sight, seesCallsOf } from './sight.ts';
import type { PageSources } from './sources.ts';
import { StaticFiles } from './static-files.ts';
import { sendEvents, sendLive } from './streams.ts';

const BELOW = '/page/';
const MOST_EVENTS = 100_000;
const MOST_BODY_BYTES = 4096;
const ALL_BODIES_BYTES = 1024 * 1024;
const EVENT_ID = /^[\w.:@-]{1,128}$/;
/** Answers are data: nothing of them is ever run, shown in a frame or given to another page. */
const DATA_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export interface PageOptions {
  sources: PageSources;
  version: string;
  /** The directories that are served; without them the events of all servers are shown. */
  roots?: readonly ServedRoot[];
  admission: Admission;
  replies: OpenReplies;
  /** Served over TLS. */
  secure: boolean;
  /** Where the built page lies, when not beside the program. */
  directory?: string;
}

interface Visitor {
  reply: Reply;
  grant: Grant;
  /** Missing when a token was shown. */
  session: PageSession | undefined;
  waits: boolean;
}

type Outcome = Promise<Refusal | undefined> | Refusal | undefined;
type Handler = (visitor: Visitor, name: string) => Outcome;

export class Page {
  /** The port that is listened on. */
  port = 0;
  readonly #options: PageOptions;
  readonly #files: StaticFiles;
  readonly #sessions = new PageSessions();
  readonly #sight: Sight;
  readonly #feed: LiveFeed;
  readonly #entries: Entries;
  readonly #room = new MemoryBudget(ALL_BODIES_BYTES);
  /** For lists of events that are being sent: each may hold all of them in memory. */
  readonly #reading = new Places({ most: 4, ofOneToken: 2 });
  readonly #streams = new Places({ most: 128, ofOneToken: 32 });
  /** To find one event, all of the log may have to be read. */
  readonly #finding = new Gate(2);
  /** For one event, and for diffs and undoing, which read whole files. */
  readonly #working = new Places({ most: 16, ofOneToken: 8 });
  readonly #routes: readonly { at: RegExp; methods: Readonly<Record<string, Handler>> }[];

  constructor(options: PageOptions) {
    const { sources, roots, directory } = options;
    this.#options = options;
    this.#files = new StaticFiles(directory);
    this.#sight = new Sight(roots);
    this.#feed = new LiveFeed(sources.events, (event) => this.#sight.covers(event.roots));
    this.#entries = new Entries(sources.history, this.#sight);
    this.#routes = [
      {
        at: /^session$/,
        methods: {
          POST: (visitor) => this.#openSession(visitor),
          DELETE: (visitor) => this.#endSession(visitor),
        },
      },
      { at: /^about$/, methods: { GET: (visitor) => this.#tellAbout(visitor) } },
      { at: /^events$/, methods: { GET: (visitor) => this.#listEvents(visitor) } },
      { at: /^events\/([^/]+)$/, methods: { GET: (visitor, id) => this.#showEvent(visitor, id) } },
      { at: /^live$/, methods: { GET: (visitor) => this.#goLive(visitor) } },
      { at: /^entries\/([^/]+)$/, methods: { GET: (visitor, id) => this.#showEntry(visitor, id) } },
      { at: /^entries\/([^/]+)\/undo$/, methods: { POST: (visitor, id) => this.#undo(visitor, id) } },
    ];
  }

  serves(path: string): boolean {
    return path.startsWith(BELOW) || this.#files.has(path);
  }

  /** The request comes from where it may. */
  async serve(reply: Reply, path: string, waits: boolean): Promise<Refusal | undefined> {
    if (this.#files.has(path)) return this.#files.serve(reply, path);
    for (const [name, value] of Object.entries(DATA_HEADERS)) reply.response.setHeader(name, value);
    const visitor = this.#admit(reply, waits);
    if (!visitor || 'status' in visitor) return visitor;
    const refusal = this.#options.replies.belongsTo(reply, visitor.grant);
    if (refusal) return refusal;
    const { method = '' } = reply.request;
    const rest = path.slice(BELOW.length);
    for (const { at, methods } of this.#routes) {
      const found = at.exec(rest);
      if (!found) continue;
      if (Object.hasOwn(methods, method)) return methods[method]!(visitor, found[1] ?? '');
      const allowed = Object.keys(methods).join(', ');
      return { status: 405, message: `${allowed} is served here`, headers: { Allow: allowed } };
    }
    return { status: 404, message: 'There is nothing at this path' };
  }

  /** A token that is no longer good takes its sessions with it. */
  withdraw(grant: Grant): void {
    this.#sessions.endOf(grant);
  }

  tick(now: number): void {
    this.#sessions.endIdle(now);
    this.#feed.tick(now);
  }

  close(): void {
    this.#feed.close();
  }

  /** A token in the header, or else the cookie; refuses by itself when there is neither. */
  #admit(reply: Reply, waits: boolean): Visitor | Refusal | undefined {
    const { request } = reply;
    const { authorization, cookie } = request.headers;
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    const shown = authorization !== undefined;
    const session = shown ? undefined : this.#sessions.find(cookieOf(cookie, this.#cookie), Date.now());
    const grant = session?.grant ?? this.#options.admission.grantOf(reply);
    if (!grant) return undefined;
    // A browser adds the cookie by itself, whoever asks: it counts only for this page.
    if ((session || changes) && !comesFromHere(request))
      return { status: 403, message: 'Only the page of this server may do this' };
    if (session && changes && !hasOwnOrigin(request))
      return { status: 403, message: 'This needs the Origin of this server, or a token' };
    return { reply, grant, session, waits };
  }

  get #cookie(): string {
    return cookieName(this.port);
  }

  #openSession({ reply, grant, session }: Visitor): Outcome {
    if (session) return { status: 401, message: 'A token is needed: Authorization: Bearer …' };
    const { secure } = this.#options;
    this.#sessions.end(cookieOf(reply.request.headers.cookie, this.#cookie));
    const id = this.#sessions.open(grant, Date.now());
    reply.empty(204, { 'Set-Cookie': setCookie(this.#cookie, id, secure) });
    return undefined;
  }

  #endSession({ reply }: Visitor): Outcome {
    this.#sessions.end(cookieOf(reply.request.headers.cookie, this.#cookie));
    reply.empty(204, { 'Set-Cookie': dropCookie(this.#cookie, this.#options.secure) });
    return undefined;
  }

  #tellAbout({ reply, grant }: Visitor): Outcome {
    const about: About = {
      version: this.#options.version,
      roots: this.#sight.roots,
      who: grant.name,
      mayUndo: this.#sight.mayUndoAnything(grant),
    };
    reply.json(200, JSON.stringify(about));
    return undefined;
  }

  async #listEvents({ reply, grant }: Visitor): Promise<Refusal | undefined> {
    const refusal = this.#reading.take(grant);
    if (refusal) return refusal;
    try {
      const cursor = this.#feed.cursorAt(this.#feed.position(Date.now()));
      const events = await this.#options.sources.events.recent(
        MOST_EVENTS,
        (event) => seesCallsOf(grant, event.who) && this.#sight.covers(event.roots),
      );
      await sendEvents(reply, events, cursor);
    } finally {
      this.#reading.leave(grant);
    }
    return undefined;
  }

  async #showEvent({ reply, grant }: Visitor, id: string): Promise<Refusal | undefined> {
    return this.#work(reply, grant, () => this.#finding.pass(() => this.#findEvent(grant, id)));
  }

  async #findEvent(grant: Grant, id: string): Promise<object | Refusal> {
    const isWanted = ({ id: own, who, roots }: TraceEvent) =>
      own === id && seesCallsOf(grant, who) && this.#sight.covers(roots);
    const [event] = EVENT_ID.test(id) ? await this.#options.sources.events.recent(1, isWanted) : [];
    return event ?? { status: 404, message: 'There is no such event' };
  }

  #goLive({ reply, grant, session }: Visitor): Outcome {
    const refusal = this.#streams.take(grant);
    if (refusal) return refusal;
    session?.streams.add(reply);
    reply.whenOver(() => {
      this.#streams.leave(grant);
      session?.streams.delete(reply);
      if (session) session.usedAt = Date.now();
    });
    const after = new URLSearchParams(reply.request.url!.split('?')[1]).get('after');
    sendLive(reply, this.#feed, grant, after ?? undefined);
    return undefined;
  }

  async #showEntry({ reply, grant }: Visitor, id: string): Promise<Refusal | undefined> {
    return this.#work(reply, grant, () => this.#entries.details(grant, id));
  }

  async #undo(visitor: Visitor, id: string): Promise<Refusal | undefined> {
    const { reply, grant } = visitor;
    const asked = await this.#takeBody(visitor);
    if (asked === undefined || 'status' in asked) return asked;
    return this.#work(reply, grant, () => this.#entries.undo(grant, id, asked.force));
  }

  async #work(
    reply: Reply,
    grant: Grant,
    work: () => Promise<object | Refusal>,
  ): Promise<Refusal | undefined> {
    const refusal = this.#working.take(grant);
    if (refusal) return refusal;
    try {
      const outcome = await work();
      if ('status' in outcome) return outcome as Refusal;
      reply.json(200, JSON.stringify(outcome));
      return undefined;
    } finally {
      this.#working.leave(grant);
    }
  }

  async #takeBody({ reply, waits }: Visitor): Promise<{ force: boolean } | Refusal | undefined> {
    const { request, response } = reply;
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      return { status: 415, message: 'The body must be sent as Content-Type: application/json' };
    if (waits) response.writeContinue();
    const body = await readBody(request, MOST_BODY_BYTES, this.#room);
    if ('gone' in body) return undefined;
    if ('refusal' in body) return body.refusal;
    this.#room.giveBack(body.bytes);
    const force = forceOf(body.text);
    return force === undefined
      ? { status: 400, message: 'The body must be {"force": true} or {"force": false}' }
      : { force };
  }
}

function forceOf(text: string): boolean | undefined {
  try {
    const { force } = JSON.parse(text) as { force?: unknown };
    return typeof force === 'boolean' ? force : undefined;
  } catch {
    return undefined;
  }
}

/** Browsers say where a request comes from; what says nothing is no browser, and has no cookie by accident. */
function comesFromHere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}

function hasOwnOrigin({ headers }: IncomingMessage): boolean {
  const origin = headers.origin?.toLowerCase();
  const host = headers.host!.toLowerCase();
  return origin === `http://${host}` || origin === `https://${host}`;
}
