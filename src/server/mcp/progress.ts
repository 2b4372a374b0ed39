/**
 * Reports at least once a second to a client that asked for progress, because many clients give up on a silent call.
 * The message is the last line that a command printed, or else the last message of the tool.
 */
import type { ToolContext } from '../../dialects/dialect.ts';
import { fitted, plain } from '../../display/plain-text.ts';

const CHECK_EVERY_MS = 400;
const MAX_SILENCE_MS = 600;
const MAX_MESSAGE_COLUMNS = 200;
/** Smaller than the step of any tool, so that the tool's next progress is still larger. */
const STEP = 1 / 1024;

/** How much of the end of a stream to keep in order to find its last line. */
const MAX_TAIL_BYTES = 4096;
const TERMINAL_CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

export class ProgressReporter {
  readonly #send: ToolContext['progress'];
  readonly #signal: AbortSignal;
  readonly #began = Date.now();
  readonly #timer: NodeJS.Timeout;
  readonly #tails = new Map<string, Buffer>();
  #sentAt = Date.now();
  #progress = -1;
  #message: string;
  #ended = false;

  constructor(send: ToolContext['progress'], signal: AbortSignal, tool: string) {
    this.#send = send;
    this.#signal = signal;
    this.#message = `${tool} is at work`;
    this.#timer = setInterval(() => this.#report(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** The protocol requires that progress grows with every notification. */
  readonly progress: ToolContext['progress'] = (done, message) => {
    if (done <= this.#progress || this.#ended || this.#signal.aborted) return;
    this.#progress = done;
    this.#message = message;
    this.#sentAt = Date.now();
    this.#send(done, message);
  };

  readonly printed: NonNullable<ToolContext['printed']> = (chunk, stream) => {
    const tail = Buffer.concat([this.#tails.get(stream) ?? Buffer.alloc(0), chunk.subarray(-MAX_TAIL_BYTES)]);
    // Delete and set again, so that the stream that printed last is the last one in the map.
    this.#tails.delete(stream);
    this.#tails.set(stream, tail.subarray(-MAX_TAIL_BYTES));
  };

  /** Stops all reports: the answer comes next. */
  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
  }

  #report(): void {
    const now = Date.now();
    if (now - this.#sentAt < MAX_SILENCE_MS) return;
    const seconds = (now - this.#began) / 1000;
    this.progress(Math.max(seconds, this.#progress + STEP), this.#lastLine() ?? this.#message);
  }

  #lastLine(): string | undefined {
    const tails = [...this.#tails.values()].reverse();
    return tails.map((tail) => lastLineOf(tail.toString('utf8'))).find((line) => line !== '');
  }
}

/** The last line that is not empty, without colours and control characters. */
export function lastLineOf(printed: string): string {
  const lines = printed.replace(TERMINAL_CODES, '').split(/[\r\n]+/);
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = plain(lines[at]!.replaceAll('\t', ' ')).trim();
    if (line !== '') return fitted(line, MAX_MESSAGE_COLUMNS);
  }
  return '';
}
