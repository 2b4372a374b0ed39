/**
 * Forwards messages that a client sent to the wrong server of a fleet: the cancellation of a call, the answer to a
 * request of the server, the end of a session. A server polls for such messages only while a call takes long.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Sessions } from '../../state/sessions.ts';
import type { SessionTransport } from './sessions/session-transport.ts';

const FIRST_MS = 200;
const EVERY_MS = 500;
const END = 'end';

export class Relay {
  readonly #store: Sessions;
  /** The open transports with the keys of their sessions in the store. */
  readonly #transports: () => Iterable<[key: string, SessionTransport]>;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Sessions, transports: () => Iterable<[key: string, SessionTransport]>) {
    this.#store = store;
    this.#transports = transports;
  }

  /** Called when a call begins: starts to poll if the call is not over soon. */
  watch(): void {
    if (this.#store.isShared) this.#timer ??= setTimeout(() => void this.#poll(), FIRST_MS).unref();
  }

  passOn(key: string, message: JSONRPCMessage): void {
    this.#send(key, JSON.stringify(message));
  }

  ended(key: string): void {
    this.#send(key, END);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #send(key: string, message: string): void {
    // While the database is unreachable, a call cannot be cancelled through another server.
    if (this.#store.isShared) void this.#store.send(key, message).catch(() => {});
  }

  async #poll(): Promise<void> {
    const waiting = new Map([...this.#transports()].filter(([, transport]) => transport.isWaiting));
    if (waiting.size === 0) {
      this.#timer = undefined;
      return;
    }
    const received = await this.#store.receive([...waiting.keys()]).catch(() => []);
    for (const { session, message } of received) {
      if (message === END) waiting.get(session)?.end();
      else waiting.get(session)?.receiveRelayed(JSON.parse(message) as JSONRPCMessage);
    }
    this.#timer = setTimeout(() => void this.#poll(), EVERY_MS).unref();
  }
}
