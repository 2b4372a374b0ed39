/** Writes messages to a stream, one per line: those of one turn of the event loop together, and long ones in parts. */
import type { Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { MAX_MESSAGE_BYTES } from '../../dialects/results/result-size.ts';
import { drained } from '../../drained.ts';
import { JsonBytes } from '../../json/json-bytes.ts';
import { bytesIn, isLong, jsonInTurns } from '../mcp/messages/json-in-turns.ts';
import { idOf } from '../mcp/messages/json-rpc.ts';
import { addLine, tooLarge } from '../mcp/messages/messages.ts';

/** When more than this is buffered, it is written before the turn ends. */
const WRITE_AT_ONCE_BYTES = 512 * 1024;

export class LineWriter {
  readonly #output: Writable;
  readonly #outgoing = new JsonBytes();
  #closed = false;
  /** Set while the client reads more slowly than the server writes. */
  #blocked: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  get blocked(): Promise<void> | undefined {
    return this.#blocked;
  }

  /** Gives a promise if the message is long. */
  send(message: JSONRPCMessage): Promise<void> | undefined {
    if (isLong(message)) return this.#sendInTurns(message);
    this.#writeSoon();
    addLine(message, this.#outgoing);
    this.#writeIfMuch();
    return undefined;
  }

  write(line: string): void {
    this.#writeSoon();
    this.#outgoing.add(line);
    this.#writeIfMuch();
  }

  flush(): void {
    if (!this.#outgoing.isEmpty && !this.#output.write(this.#outgoing.take())) this.#block();
  }

  /** Writes what is buffered, and drops long messages that are not complete. */
  close(): void {
    this.flush();
    this.#closed = true;
  }

  async #sendInTurns(message: JSONRPCMessage): Promise<void> {
    const parts = await jsonInTurns(message);
    if (this.#closed) return;
    // The newline counts, too.
    if (bytesIn(parts) + 1 > MAX_MESSAGE_BYTES) {
      this.write(`${tooLarge(idOf(message))}\n`);
      return;
    }
    this.flush();
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    const isFree = this.#output.write('\n');
    this.#output.uncork();
    if (!isFree) this.#block();
  }

  /** Writing to a pipe costs per write, not per byte, so messages of one turn are joined. */
  #writeSoon(): void {
    if (this.#outgoing.isEmpty) setImmediate(() => this.flush());
  }

  #writeIfMuch(): void {
    if (this.#outgoing.mostBytes > WRITE_AT_ONCE_BYTES) this.flush();
  }

  #block(): void {
    this.#blocked ??= drained(this.#output).then(() => {
      this.#blocked = undefined;
    });
  }
}
