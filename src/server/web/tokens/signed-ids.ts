/** Ids that clients are given to keep. A server that has the keys recognises one, and for whom it was made. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const ID = /^([\w-]{22})\.([\w-]{0,40})\.([\w-]{43})$/;
/** Another server may sign with a key that this one does not know yet: it looks, but not for every wrong id. */
const READ_AGAIN_MS = 1000;
/** A key that is valid no longer is forgotten by then. */
const OUTDATED_MS = 60_000;

/** A secret that the operator sets must not be guessed. */
export const SHORTEST_SECRET = 32;

/** Secret bytes: the first one signs, what any of them signed is valid. */
export type ReadKeys = () => Promise<readonly Buffer[]>;

export interface SignedId {
  /** Random; names what the id stands for. */
  key: string;
  /** What everybody may read in it, and only who has the keys can write. */
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

  /** `bound`: for whom and for what. Nobody else can use the id. */
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
    // Nobody waits for it: a server that cannot read keys continues with those that it knows.
    if (performance.now() - this.#readAt > OUTDATED_MS) void this.#readNowAndThen().catch(() => {});
    return { key, says: says! };
  }

  async #readNowAndThen(): Promise<void> {
    // A request that comes while another one reads the keys waits for them, too.
    if (!this.#reading && performance.now() - this.#readAt < READ_AGAIN_MS) return;
    // While nobody can tell, those that are known will do.
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

/** What of an id names the thing that it stands for. */
export function keyOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** Secrets that the operator sets, one after the other with commas between them: the first one signs. */
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
