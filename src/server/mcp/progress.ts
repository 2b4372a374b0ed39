/**
 * Tells a client that asked for progress, at least once a second, that its call is still at work: with the last line
 * that a command printed, or else with what was told last. Many clients give a call up when they hear nothing.
 */
import type { ToolContext } from '../../dialects/dialect.ts';
import { fitted, plain } from '../../display/plain-text.ts';

const LOOK_EVERY_MS = 400;
const LONGEST_SILENCE_MS = 600;
const LONGEST_MESSAGE = 200;
/** Smaller than a step of any tool, so that what a tool tells next is still more. */
const STEP = 1 / 1024;

/** What of a stream is kept to find its last line in. */
const LONGEST_TAIL = 4096;
const TERMINAL_CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

export class ProgressReporter {
  readonly #send: ToolContext['progress'];
  readonly #signal: AbortSignal;
  readonly #began = Date.now();
  readonly #timer: NodeJS.Timeout;
  readonly #tails = new Map<string, Buffer>();
  #sentAt = Date.now();
  #told = -1;
  #message: string;
  #over = false;

  constructor(send: ToolContext['progress'], signal: AbortSignal, tool: string) {
    this.#send = send;
    this.#signal = signal;
    this.#message = `${tool} is at work`;
    this.#timer = setInterval(() => this.#beat(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** The protocol wants progress to grow with every notification. */
  readonly progress: ToolContext['progress'] = (done, message) => {
    if (done <= this.#told || this.#over || this.#signal.aborted) return;
    this.#told = done;
    this.#message = message;
    this.#sentAt = Date.now();
    this.#send(done, message);
  };

  readonly printed: NonNullable<ToolContext['printed']> = (chunk, stream) => {
    const tail = Buffer.concat([this.#tails.get(stream) ?? Buffer.alloc(0), chunk.subarray(-LONGEST_TAIL)]);
    // Once more in a map: the stream that printed last comes last.
    this.#tails.delete(stream);
    this.#tails.set(stream, tail.subarray(-LONGEST_TAIL));
  };

  /** Nothing is told any more: the answer comes next. */
  end(): void {
    this.#over = true;
    clearInterval(this.#timer);
  }

  #beat(): void {
    const now = Date.now();
    if (now - this.#sentAt < LONGEST_SILENCE_MS) return;
    const seconds = (now - this.#began) / 1000;
    this.progress(Math.max(seconds, this.#told + STEP), this.#lastLine() ?? this.#message);
  }

  #lastLine(): string | undefined {
    const tails = [...this.#tails.values()].reverse();
    return tails.map((tail) => lastLineOf(tail.toString('utf8'))).find((line) => line !== '');
  }
}

/** The last line with something on it, fit to be shown: without colours, control characters and surprises. */
export function lastLineOf(printed: string): string {
  const lines = printed.replace(TERMINAL_CODES, '').split(/[\r\n]+/);
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = plain(lines[at]!.replaceAll('\t', ' ')).trim();
    if (line !== '') return fitted(line, LONGEST_MESSAGE);
  }
  return '';
}
