/** What one POST asked and what it is answered: as JSON, or as events when something came before the answer. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { asJson, type Id } from '../messages.ts';
import type { Reply } from './reply.ts';

export interface ExchangeOptions {
  /** Several messages came in one body, and their answers go out the same way. */
  batch: boolean;
  /** Whether the client takes a stream of events as an answer. */
  mayStream: boolean;
  /** Headers of the answer, chosen when it is known. */
  headers?: (answer: JSONRPCMessage) => OutgoingHttpHeaders;
}

export class Exchange {
  /** Requests that have not been answered. */
  readonly open: Set<Id>;
  readonly #reply: Reply;
  readonly #options: ExchangeOptions;
  readonly #answers: JSONRPCMessage[] = [];

  constructor(reply: Reply, ids: readonly Id[], options: ExchangeOptions) {
    this.#reply = reply;
    this.open = new Set(ids);
    this.#options = options;
    if (options.mayStream) reply.onSilence = () => reply.startEvents();
  }

  answer(id: Id, message: JSONRPCMessage): void {
    if (!this.open.delete(id)) return;
    if (this.#reply.streaming) this.#reply.event(message);
    else this.#answers.push(message);
    if (this.open.size === 0) this.#finish();
  }

  /** Something for the client before the answer is there. */
  tell(message: JSONRPCMessage): void {
    if (!this.#options.mayStream) return;
    if (!this.#reply.streaming) {
      this.#reply.startEvents();
      for (const waiting of this.#answers.splice(0)) this.#reply.event(waiting);
    }
    this.#reply.event(message);
  }

  /** The client has cancelled a request: it gets no answer, and the exchange does not wait for one. */
  drop(id: Id): void {
    if (this.open.delete(id) && this.open.size === 0) this.#finish();
  }

  /** Answers what is open with an error. */
  breakOff(code: number, message: string): void {
    for (const id of [...this.open]) this.answer(id, { jsonrpc: '2.0', id, error: { code, message } });
  }

  #finish(): void {
    const [first] = this.#answers;
    if (this.#reply.streaming) this.#reply.end();
    else if (first === undefined) this.#reply.empty(202);
    else {
      const body = this.#options.batch ? asJsonList(this.#answers) : asJson(first);
      this.#reply.json(200, body, this.#options.headers?.(first));
    }
  }
}

function asJsonList(messages: readonly JSONRPCMessage[]): string {
  return `[${messages.map((message) => asJson(message)).join(',')}]`;
}
