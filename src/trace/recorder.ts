/**
 * Turns each call into one event: what the engine reports while the call runs, how the call ended and what it cost.
 *
 * The contents of files never get into an event. Whole arguments and answers do only when the user asks for them.
 */
import { truncate } from '../display/truncate.ts';
import { jsonBytes } from '../json/json-size.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import { briefOf } from './events/brief.ts';
import type { How, TracedPath, TraceEvent } from './events/event.ts';
import { jsonBeginning } from './events/json-beginning.ts';
import { isLaterExecuted, LATER_EXECUTED } from './events/later-executed.ts';
import { MOST_PATHS } from './events/stored-event.ts';
import { withoutSecrets } from './events/without-secrets.ts';
import type { TraceLog } from './log.ts';
import type { SpanSink } from './telemetry/spans.ts';

/** No file has a longer path, but a client may send anything as a path. */
const LONGEST_PATH = 4096;
const LONGEST_NAME = 200;
const LONGEST_NOTE = 2000;
const LONGEST_REASON = 500;
const LONGEST_CONTENTS = 8192;
const MOST_ENTRIES = 50;
/** How many paths beyond the first ones are remembered, so that each is counted only once. */
const MOST_REMEMBERED = 10_000;

export interface RecorderOptions {
  log?: TraceLog | undefined;
  spans?: SpanSink | undefined;
  /** The id of the server process. */
  server: string;
  roots: string[];
  /** Whether to record arguments and answers too. */
  contents: boolean;
  /** A clock in milliseconds since 1970, for when a call came and how long it took. Default: the system's clocks. */
  now?(): number;
}

export interface TracedCall {
  session?: string | undefined;
  who?: string | undefined;
  dialect: string;
  tool: string;
  /** The directories that the call concerns. Default: the served directories. */
  roots?: readonly string[] | undefined;
  arguments: unknown;
  /** The client's position in its own trace, as a W3C `traceparent`. */
  traceparent?: unknown;
}

export interface TracedAnswer {
  /** The size of the arguments as JSON. Default: the recorder measures it. */
  bytesIn?: number | undefined;
  bytesOut: number;
  /** The text that the model gets to read. */
  text?: string | undefined;
  /** The kind of failure, if the call failed. */
  failure?: string | undefined;
  /** Why the call failed, in a sentence that quotes no content. */
  reason?: string | undefined;
}

export class Recorder {
  readonly #options: RecorderOptions;
  #calls = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  begin(call: TracedCall): CallTrace {
    this.#calls += 1;
    return new CallTrace(this.#options, call, `${this.#options.server}-${this.#calls}`);
  }

  /** Sends the spans that are left, for two seconds at most. */
  async close(): Promise<void> {
    await this.#options.spans?.close();
    this.#options.log?.close();
  }
}

export class CallTrace {
  readonly #options: RecorderOptions;
  readonly #call: TracedCall;
  readonly #id: string;
  readonly #at: number;
  readonly #began: number;
  readonly #paths: TracedPath[] = [];
  #morePaths = 0;
  #remembered: Set<string> | undefined;
  #entries: string[] | undefined;
  #confinement: readonly string[] | undefined;
  #note: string | undefined;
  #laterExecuted = false;
  #ended = false;

  constructor(options: RecorderOptions, call: TracedCall, id: string) {
    this.#options = options;
    this.#call = call;
    this.#id = id;
    this.#at = options.now?.() ?? Date.now();
    this.#began = options.now ? this.#at : performance.now();
  }

  /** The engine calls this while the call runs. A path that is touched in the same way again counts once. */
  touched(touch: TracedPath): void {
    if (this.#ended) return;
    const path = truncate(touch.path, LONGEST_PATH);
    if (isChange(touch.how) && isLaterExecuted(touch.path)) this.#laterExecuted = true;
    const same = this.#paths.find((known) => known.path === path && saysAsMuch(known.how, touch.how));
    if (same) {
      if (same.how === 'looked-at') same.how = touch.how;
      if (touch.bytes !== undefined) same.bytes = Math.max(same.bytes ?? 0, touch.bytes);
      if (touch.links !== undefined) same.links = touch.links;
      return;
    }
    const { how, bytes, links } = touch;
    const kept: TracedPath = { path, how };
    if (bytes !== undefined) kept.bytes = bytes;
    if (links !== undefined) kept.links = links;
    if (this.#paths.length < MOST_PATHS) this.#paths.push(kept);
    else this.#crowdOut(kept);
  }

  madeEntry(id: string): void {
    this.#entries ??= [];
    if (this.#entries.length < MOST_ENTRIES && !this.#entries.includes(id)) this.#entries.push(id);
  }

  confinedBy(confinement: readonly string[]): void {
    this.#confinement = confinement;
  }

  noted(note: string): void {
    this.#note = truncate(this.#note === undefined ? note : `${this.#note}; ${note}`, LONGEST_NOTE);
  }

  /** Ends the call. Only the first answer counts. */
  answered(answer: TracedAnswer): void {
    if (this.#ended) return;
    this.#ended = true;
    const { log, spans } = this.#options;
    if (!log && !spans) return;
    const event = this.#event(answer);
    log?.appendSoon(event);
    spans?.send(event, traceparentOf(this.#call.traceparent));
  }

  /** Counts a path for which there is no room. A changed or refused one replaces one that was only looked at. */
  #crowdOut(touch: TracedPath): void {
    const place = isOnlyLook(touch.how) ? -1 : this.#paths.findLastIndex(({ how }) => isOnlyLook(how));
    const left = place < 0 ? touch : this.#paths.splice(place, 1)[0]!;
    if (place >= 0) this.#paths.push(touch);
    this.#remembered ??= new Set();
    const key = `${left.how} ${left.path}`;
    if (this.#remembered.has(key)) return;
    this.#morePaths += 1;
    if (this.#remembered.size < MOST_REMEMBERED) this.#remembered.add(key);
  }

  #event({ bytesIn, bytesOut, text, failure, reason }: TracedAnswer): TraceEvent {
    const { server, contents } = this.#options;
    const { session, who, dialect, tool, roots = this.#options.roots } = this.#call;
    const { arguments: args } = this.#call;
    const event: TraceEvent = {
      id: this.#id,
      at: this.#at,
      server,
      roots: [...roots],
      dialect,
      tool: truncate(tool, LONGEST_NAME),
      paths: this.#paths,
      outcome: failure === undefined ? 'ok' : 'failed',
      ms: this.#elapsed(),
      bytesIn: bytesIn ?? (args === undefined ? 0 : bytesOf(args)),
      bytesOut,
      tokensOut: estimatedTokens(text?.length ?? bytesOut),
    };
    if (session !== undefined) event.session = session;
    if (who !== undefined) event.who = who;
    if (this.#morePaths > 0) event.morePaths = this.#morePaths;
    if (failure !== undefined) event.error = truncate(failure, LONGEST_NAME);
    if (reason !== undefined) event.reason = truncate(withoutSecrets(reason), LONGEST_REASON);
    const brief = briefOf(args);
    if (brief) event.brief = brief;
    if (this.#laterExecuted) event.flags = [LATER_EXECUTED];
    if (this.#confinement) {
      event.confinement = [...this.#confinement];
      event.confined = this.#confinement.includes('bubblewrap');
    }
    if (this.#note !== undefined) event.note = this.#note;
    if (this.#entries) event.entries = this.#entries;
    const written = contents ? jsonBeginning(args, LONGEST_CONTENTS + 1) : undefined;
    if (written !== undefined) event.arguments = truncate(written, LONGEST_CONTENTS);
    if (contents && text !== undefined) event.answer = truncate(text, LONGEST_CONTENTS);
    return event;
  }

  /** In milliseconds, rounded to microseconds. */
  #elapsed(): number {
    const now = this.#options.now?.() ?? performance.now();
    return Math.max(0, Math.round((now - this.#began) * 1000) / 1000);
  }
}

/** Whether one record covers both: a call that did anything else at a path has also looked at it. */
function saysAsMuch(known: How, how: How): boolean {
  return known === how || known === 'looked-at' || how === 'looked-at';
}

function isOnlyLook(how: How): boolean {
  return how === 'read' || how === 'listed' || how === 'searched' || how === 'looked-at' || how === 'ran-in';
}

/** Whether the change leaves something at the path. */
function isChange(how: How): boolean {
  return how === 'created' || how === 'changed' || how === 'moved-to';
}

/** Zero for arguments that are nested too deeply for the stack. */
function bytesOf(value: unknown): number {
  try {
    return jsonBytes(value);
  } catch {
    return 0;
  }
}

function traceparentOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
