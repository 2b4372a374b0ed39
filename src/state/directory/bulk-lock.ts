/**
 * Lets one task lock thousands of keys with a single socket.
 *
 * One process at a time holds the bulk lock of the machine. On its socket it answers which keys it holds, and a process
 * that has taken the socket of one key asks there before it treats that key as its own. The holder adds its keys in
 * their order: it waits for the socket of a key, adds the key, and closes the socket. So it waits for every process
 * that took the socket earlier, and every process that takes the socket later learns that the key is held. When the
 * holder dies, nobody answers.
 */
import { connect, type Socket as Visitor } from 'node:net';
import { hashOfKey, listen, type Socket, socketName } from './lock-sockets.ts';

/** No file has this key: keys of files begin with a device number. */
export const BULK = 'bulk';
const HELD = 'y';
const NOT_HELD = 'n';
const ANSWER_MS = 10_000;
/** No process listens, or the one that did has ended. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE']);

export class BulkLock {
  readonly #keys: Set<string>;
  readonly #socket: Socket;

  private constructor(keys: Set<string>, socket: Socket) {
    this.#keys = keys;
    this.#socket = socket;
  }

  /** Undefined on systems without such sockets. */
  static async take(): Promise<BulkLock | undefined | 'taken'> {
    const keys = new Set<string>();
    const socket = await listen(socketName(BULK), (visitor) => answer(visitor, keys));
    return socket === undefined || socket === 'taken' ? socket : new BulkLock(keys, socket);
  }

  add(key: string): void {
    this.#keys.add(hashOfKey(key));
  }

  close(): void {
    this.#keys.clear();
    this.#socket.close();
  }
}

function answer(visitor: Visitor, keys: ReadonlySet<string>): void {
  let asked = '';
  visitor.unref();
  visitor.on('error', () => {});
  visitor.setEncoding('latin1').on('data', (part: string) => {
    asked += part;
    if (asked.endsWith('\n')) visitor.end(keys.has(asked.trimEnd()) ? HELD : NOT_HELD);
  });
}

/** Whether any process, including this one, holds the key in its bulk lock. True when that cannot be found out. */
export async function isInBulk(key: string): Promise<boolean> {
  const path = socketName(BULK);
  if (path === undefined) return false;
  // The bulk lock is nearly always free. Taking its name for a moment shows that at a fifth of the cost of asking in
  // vain. Meanwhile, a process that wants the lock retries, and one that asks is told that no key is held.
  const free = await listen(path);
  if (free === undefined || free === 'taken') return ask(path, key);
  free.close();
  return false;
}

function ask(path: string, key: string): Promise<boolean> {
  return new Promise((resolve) => {
    const visitor = connect({ path });
    let told = '';
    visitor.setEncoding('latin1');
    visitor.once('connect', () => {
      visitor.setTimeout(ANSWER_MS, () => visitor.destroy(new Error('no answer')));
      visitor.write(`${hashOfKey(key)}\n`);
    });
    visitor.on('data', (part: string) => {
      told += part;
    });
    visitor.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(!NOBODY.has(code)));
    // A holder that ended before it answered no longer holds anything.
    visitor.once('close', () => resolve(told === HELD));
  });
}
