/** Collects the answers to a batch on stdio: the client sends several messages in one line, and gets one line back. */
import type { Id } from './json-rpc.ts';

/** The only protocol version with batches. */
export const WITH_BATCHES = '2025-03-26';
const MAX_BATCH_MESSAGES = 100;

/** Clients disconnect when a line is too long, so further answers go into a second line. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export class LineBatch {
  /** The requests that still have no answer. */
  readonly #open = new Set<Id>();
  readonly #write: (line: string) => void;
  #answers: string[] = [];
  #bytes = 0;
  #complete = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  expect(id: Id): void {
    this.#open.add(id);
  }

  has(id: Id): boolean {
    return this.#open.has(id);
  }

  /** A cancelled request has no `answer`. */
  settle(id: Id | null, answer?: string): void {
    if (id !== null) this.#open.delete(id);
    if (answer !== undefined) {
      const bytes = Buffer.byteLength(answer);
      if (this.#bytes + bytes > MAX_LINE_BYTES) this.#flush();
      this.#answers.push(answer);
      this.#bytes += bytes;
    }
    this.#flushWhenAnswered();
  }

  /** Called after the last message of the batch. */
  complete(): void {
    this.#complete = true;
    this.#flushWhenAnswered();
  }

  #flushWhenAnswered(): void {
    if (this.#complete && this.#open.size === 0) this.#flush();
  }

  #flush(): void {
    if (this.#answers.length > 0) this.#write(`[${this.#answers.join(',')}]\n`);
    this.#answers = [];
    this.#bytes = 0;
  }
}

/** The reason why a batch is invalid as a whole. */
export function whyNotBatch(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return 'a batch must have a message';
  return values.length > MAX_BATCH_MESSAGES
    ? `a batch may have at most ${MAX_BATCH_MESSAGES} messages`
    : undefined;
}
