/** Makes signed ids for clients. Any server that has the keys can check an id and for whom it was made. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const ID = /^([\w-]{22})\.([\w-]{0,40})\.([\w-]{43})$/;
/** Another server may sign with a new key. So an unknown signature makes this one read the keys, at most this often. */
const READ_AGAIN_MS = 1000;
/** Keys older than this are read again, so that the server forgets keys that are no longer valid. */
const OUTDATED_MS = 60_000;

/** The least length of a secret that the operator sets, so that it cannot be guessed. */
export const SHORTEST_SECRET = 32;

/** Reads the secret keys. The first one signs new ids; ids that any of them signed are valid. */
export type ReadKeys = () => Promise<readonly Buffer[]>;

export interface SignedId {
  /** The random key of what the id stands for. */
  key: string;
  /** A readable part of the id, which only servers that have the keys can write. */
  says: string;
}

export class SignedIds {
  readonly #purpose: string;
  readonly #readKeys: ReadKeys;
  #keys: readonly Buffer[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(purpose: string, readKeys: ReadKeys) {
    this.#purpose = purpose;
    this.#readKeys = readKeys;
  }

  /** Makes an id that is valid only together with the same `bound` texts: for whom it is and for what. */
  async make(bound: readonly string[], says = ''): Promise<string> {
    if (this.#keys.length === 0) await this.#read();
    else await this.#readNowAndThen();
    const key = randomBytes(16).toString('base64url');
    return `${key}.${says}.${this.#sign(this.#keys[0]!, key, says, bound)}`;
  }

  async read(id: string, bound: readonly string[]): Promise<SignedId | undefined> {
    const [, key, says, signature] = ID.exec(id) ?? [];
    if (key === undefined) return undefined;
    const isSigned = () =>
      this.#keys.some((each) => isEqual(this.#sign(each, key, says!, bound), signature!));
    if (!isSigned()) {
      await this.#readNowAndThen();
      if (!isSigned()) return undefined;
    }
    // Do not wait: a server that cannot read the keys continues with those that it knows.
    if (performance.now() - this.#readAt > OUTDATED_MS) void this.#readNowAndThen().catch(() => {});
    return { key, says: says! };
  }

  async #readNowAndThen(): Promise<void> {
    // If another request is reading the keys already, wait for them, too.
    if (!this.#reading && performance.now() - this.#readAt < READ_AGAIN_MS) return;
    // While the keys cannot be read, use those that are known.
    await this.#read().catch((error: unknown) => {
      if (this.#keys.length === 0) throw error;
    });
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readFresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readFresh(): Promise<void> {
    this.#readAt = performance.now();
    this.#keys = await this.#readKeys();
  }

  #sign(secret: Buffer, key: string, says: string, bound: readonly string[]): string {
    const text = JSON.stringify([this.#purpose, key, says, ...bound]);
    return createHmac('sha256', secret).update(text).digest('base64url');
  }
}

/** The part of an id that is the key of what it stands for. */
export function keyOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** The keys from secrets that the operator sets, separated by commas. The first one signs. */
export function keysFrom(secrets: string): ReadKeys {
  const keys = secrets
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => createHmac('sha256', 'cofferdam').update(each).digest());
  return async () => keys;
}

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
