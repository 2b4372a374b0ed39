/** `cofferdam trace`: events as lines for people, or as they are. */
import type { Writable } from 'node:stream';
import { plainJson } from '../display/plain-text.ts';
import type { TraceEvent } from './events/event.ts';
import { eventLine, headLine } from './events/event-line.ts';
import type { TraceLog } from './log.ts';

export { eventLine, headLine, type LineStyle } from './events/event-line.ts';

export interface TraceFilter {
  /** Part of the tool's name. */
  tool?: string | undefined;
  /** Part of a path. */
  path?: string | undefined;
  /** Only what failed, as a whole or at a path that was refused. */
  failed?: boolean | undefined;
}

export interface ShowTrace {
  log: TraceLog;
  filter?: TraceFilter | undefined;
  follow?: boolean | undefined;
  json?: boolean | undefined;
  /** A terminal gets colours and lines that fit it. */
  out: Writable & { isTTY?: boolean; columns?: number; hasColors?(): boolean };
  /** Ends following. */
  signal?: AbortSignal | undefined;
  /** How many of the newest are shown. */
  limit?: number | undefined;
}

const USUAL_LIMIT = 100;
const NARROWEST_CUT = 20;

/** Resolves with how many events were shown; early and quietly when nobody reads them any more. */
export async function showTrace(asked: ShowTrace): Promise<number> {
  const { log, follow = false, out, signal, limit = USUAL_LIMIT } = asked;
  const fits = matcherOf(asked.filter ?? {});
  const page = new TraceOutput(out, asked.json ?? false, signal);
  /** What comes while the older ones are still being read; shown after them. */
  const meanwhile: TraceEvent[] = [];
  let show = (events: TraceEvent[]): void => {
    meanwhile.push(...events);
  };
  const stop = follow ? log.follow((events) => show(events.filter(fits))) : () => {};
  try {
    const recent = await log.recent(limit, fits);
    page.show(recent);
    if (follow) {
      const shown = new Set(recent.map(({ id }) => id));
      show = (events) => page.show(events.filter(({ id }) => !shown.has(id)));
      show(meanwhile);
      await page.ended;
    }
    await page.finish();
  } finally {
    stop();
  }
  return page.shown;
}

export function matcherOf({ tool, path, failed }: TraceFilter): (event: TraceEvent) => boolean {
  return (event) =>
    (tool === undefined || event.tool.includes(tool)) &&
    (path === undefined || event.paths.some((touched) => touched.path.includes(path))) &&
    (!failed || event.outcome === 'failed' || event.paths.some(({ how }) => how === 'refused'));
}

/** Lines on their way to a terminal or a pipe, in order and at the reader's pace. */
class TraceOutput {
  shown = 0;
  /** Settles when nobody reads any more or the showing was called off; rejects when writing fails. */
  readonly ended: Promise<void>;
  readonly #out: ShowTrace['out'];
  readonly #json: boolean;
  #headed = false;
  #isEnded = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(out: ShowTrace['out'], json: boolean, signal: AbortSignal | undefined) {
    this.#out = out;
    this.#json = json;
    const ended = Promise.race([readerGone(out), aborted(signal)]);
    const end = () => {
      this.#isEnded = true;
    };
    this.ended = ended;
    ended.then(end, end);
  }

  show(events: readonly TraceEvent[]): void {
    if (events.length > 0) this.#writing = this.#writing.then(() => this.#write(events));
    this.#writing.catch(() => {});
  }

  /** What was shown is with the reader, or there is none. */
  async finish(): Promise<void> {
    await this.#writing;
    const written = new Promise<void>((resolve) => this.#out.write('', () => resolve()));
    await Promise.race([written, this.ended]);
  }

  async #write(events: readonly TraceEvent[]): Promise<void> {
    for (const event of events) {
      if (this.#isEnded) return;
      const taken = this.#out.write(this.#asText(event));
      this.shown += 1;
      if (!taken) await Promise.race([drained(this.#out), this.ended]);
    }
  }

  #asText(event: TraceEvent): string {
    if (this.#json) return `${plainJson(event)}\n`;
    const terminal = this.#out.isTTY === true;
    const style = {
      colour: terminal && this.#out.hasColors?.() !== false,
      width: terminal ? usableWidth(this.#out.columns) : undefined,
    };
    const head = terminal && !this.#headed ? `${headLine(style)}\n` : '';
    this.#headed = true;
    return `${head}${eventLine(event, style)}\n`;
  }
}

/** A terminal that says 0 does not know its width, and one of a few columns shows more by wrapping than by cutting. */
function usableWidth(columns: number | undefined): number | undefined {
  return columns !== undefined && columns >= NARROWEST_CUT ? columns : undefined;
}

/** The listeners stay: a write may still fail late, and that is no fault either. */
function readerGone(out: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    out.once('close', resolve);
    out.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') resolve();
      else reject(error);
    });
  });
}

function drained(out: Writable): Promise<void> {
  return new Promise((resolve) => out.once('drain', resolve));
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
