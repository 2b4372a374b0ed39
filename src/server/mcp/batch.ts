/** A batch on stdio: several messages that came in one line, whose answers go out in one line as well. */
import type { Id } from './json-rpc.ts';

/** The only version of the protocol that knows batches, and what each of its batches may hold. */
export const WITH_BATCHES = '2025-03-26';
export const MOST_IN_A_BATCH = 100;

/** Clients end the conversation over a line that is too long: what is more goes out in a second list. */
const LONGEST_LIST = 4 * 1024 * 1024;

export class LineBatch {
  /** Requests that have not been answered. */
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

  /** `answer` is missing for a request that was cancelled. */
  settle(id: Id | null, answer?: string): void {
    if (id !== null) this.#open.delete(id);
    if (answer !== undefined) {
      const bytes = Buffer.byteLength(answer);
      if (this.#bytes + bytes > LONGEST_LIST) this.#flush();
      this.#answers.push(answer);
      this.#bytes += bytes;
    }
    this.#flushWhenAnswered();
  }

  /** All messages of the batch were handed on. */
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

/** What is wrong with a batch as a whole. */
export function whyNotBatch(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return 'a batch must have a message';
  return values.length > MOST_IN_A_BATCH ? `a batch may have at most ${MOST_IN_A_BATCH} messages` : undefined;
}
