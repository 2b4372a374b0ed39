/** `cofferdam trace`: shows events as lines for people, or as JSON. */
import type { Writable } from 'node:stream';
import { plainJson } from '../display/plain-text.ts';
import { drained } from '../drained.ts';
import type { TraceEvent } from './events/event.ts';
import { eventLine, headLine } from './events/event-line.ts';
import type { TraceLog } from './log.ts';

export { eventLine, headLine, type LineStyle } from './events/event-line.ts';

export interface TraceFilter {
  /** Part of the tool's name. */
  tool?: string | undefined;
  /** Part of a path. */
  path?: string | undefined;
  /** Only calls that failed, or to which a path was refused. */
  failed?: boolean | undefined;
}

export interface ShowTrace {
  log: TraceLog;
  filter?: TraceFilter | undefined;
  follow?: boolean | undefined;
  json?: boolean | undefined;
  /** If this is a terminal, it gets colours and lines that fit it. */
  out: Writable & { isTTY?: boolean; columns?: number; hasColors?(): boolean };
  /** Stops following. */
  signal?: AbortSignal | undefined;
  /** How many of the newest events to show. */
  limit?: number | undefined;
}

const USUAL_LIMIT = 100;
const NARROWEST_CUT = 20;

/** Resolves with the number of events shown; early and quietly when the reader has closed the output. */
export async function showTrace(asked: ShowTrace): Promise<number> {
  const { log, follow = false, out, signal, limit = USUAL_LIMIT } = asked;
  const fits = matcherOf(asked.filter ?? {});
  const printer = new EventPrinter(out, asked.json ?? false, signal);
  /** New events that come while the older ones are still being read. They are shown after those. */
  const meanwhile: TraceEvent[] = [];
  let show = (events: TraceEvent[]): void => {
    meanwhile.push(...events);
  };
  const stop = follow ? log.follow((events) => show(events.filter(fits))) : () => {};
  try {
    const recent = await log.recent(limit, fits);
    printer.show(recent);
    if (follow) {
      const shown = new Set(recent.map(({ id }) => id));
      show = (events) => printer.show(events.filter(({ id }) => !shown.has(id)));
      show(meanwhile);
      await printer.ended;
    }
    await printer.finish();
  } finally {
    stop();
  }
  return printer.shown;
}

export function matcherOf({ tool, path, failed }: TraceFilter): (event: TraceEvent) => boolean {
  return (event) =>
    (tool === undefined || event.tool.includes(tool)) &&
    (path === undefined || event.paths.some((touched) => touched.path.includes(path))) &&
    (!failed || event.outcome === 'failed' || event.paths.some(({ how }) => how === 'refused'));
}

/** Writes events to a terminal or a pipe, in order and at the reader's pace. */
class EventPrinter {
  shown = 0;
  /** Settles when the reader has closed the output or the signal aborts; rejects when writing fails. */
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

  /** Settles when the reader has everything, or has closed the output. */
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

/** A width of 0 means that the terminal does not know it. With a few columns, wrapping shows more than cutting. */
function usableWidth(columns: number | undefined): number | undefined {
  return columns !== undefined && columns >= NARROWEST_CUT ? columns : undefined;
}

/** Never removes its listeners: a late write may still fail, and that is no error either. */
function readerGone(out: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    out.once('close', resolve);
    out.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') resolve();
      else reject(error);
    });
  });
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
