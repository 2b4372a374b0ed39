/**
 * Lets one task lock thousands of keys with a single socket.
 *
 * One process at a time holds the bulk lock of the machine. On its socket it answers which keys it holds, and a process
 * that has taken the socket of one key asks there before it treats that key as its own. The holder adds its keys in
 * their order: it waits for the socket of a key, adds the key, and closes the socket. So it waits for every process
 * that took the socket earlier, and every process that takes the socket later learns that the key is held. When the
 * holder dies, nobody answers.
 */
import { connect, type Socket } from 'node:net';
import { hashOfKey, type LockSocket, listen, socketName } from './lock-sockets.ts';

/** No file has this key: keys of files begin with a device number. */
export const BULK = 'bulk';
const HELD = 'y';
const NOT_HELD = 'n';
const ANSWER_MS = 10_000;
/** No process listens, or the one that did has ended. */
const NO_LISTENER = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE']);

export class BulkLock {
  readonly #keys: Set<string>;
  readonly #socket: LockSocket;

  private constructor(keys: Set<string>, socket: LockSocket) {
    this.#keys = keys;
    this.#socket = socket;
  }

  /** Undefined on systems without such sockets. */
  static async take(): Promise<BulkLock | undefined | 'taken'> {
    const keys = new Set<string>();
    const socket = await listen(socketName(BULK), (client) => answer(client, keys));
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

function answer(client: Socket, keys: ReadonlySet<string>): void {
  let request = '';
  client.unref();
  client.on('error', () => {});
  client.setEncoding('latin1').on('data', (part: string) => {
    request += part;
    if (request.endsWith('\n')) client.end(keys.has(request.trimEnd()) ? HELD : NOT_HELD);
  });
}

/** Whether any process, including this one, holds the key in its bulk lock. True when that cannot be found out. */
export async function isInBulk(key: string): Promise<boolean> {
  const path = socketName(BULK);
  if (path === undefined) return false;
  // The bulk lock is nearly always free. Taking its name for a moment shows that at a fifth of the cost of asking in
  // vain. Meanwhile, a process that wants the lock retries, and one that asks learns that no key is held.
  const free = await listen(path);
  if (free === undefined || free === 'taken') return ask(path, key);
  free.close();
  return false;
}

function ask(path: string, key: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect({ path });
    let reply = '';
    client.setEncoding('latin1');
    client.once('connect', () => {
      client.setTimeout(ANSWER_MS, () => client.destroy(new Error('no answer')));
      client.write(`${hashOfKey(key)}\n`);
    });
    client.on('data', (part: string) => {
      reply += part;
    });
    client.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(!NO_LISTENER.has(code)));
    // A holder that ended before it answered no longer holds anything.
    client.once('close', () => resolve(reply === HELD));
  });
}
