/** Sessions in the memory of one process: they end with it. */
import { randomBytes } from 'node:crypto';
import {
  type NewSession,
  reportInterval,
  type SessionFacts,
  type SessionMessage,
  type Sessions,
  type StoredSession,
} from './sessions.ts';

const KEY_BYTES = 32;
const VALID_KEYS = 2;

interface MemorySession {
  session: StoredSession;
  usedAt: number;
}

export class MemorySessions implements Sessions {
  readonly isShared = false;
  readonly #byId = new Map<string, MemorySession>();
  #keys: readonly Buffer[] = [];

  async keys(): Promise<readonly Buffer[]> {
    if (this.#keys.length === 0) await this.addKey();
    return this.#keys;
  }

  async addKey(): Promise<void> {
    this.#keys = [randomBytes(KEY_BYTES), ...this.#keys].slice(0, VALID_KEYS);
  }

  async open(session: NewSession): Promise<void> {
    this.#byId.set(session.id, { session: { ...session, facts: {}, revision: 0 }, usedAt: Date.now() });
  }

  async find(id: string): Promise<StoredSession | undefined> {
    return this.#alive(id)?.session;
  }

  async change(
    id: string,
    update: (facts: SessionFacts) => SessionFacts,
  ): Promise<StoredSession | undefined> {
    const known = this.#alive(id);
    if (!known) return undefined;
    const { session } = known;
    known.session = { ...session, facts: update(session.facts), revision: session.revision + 1 };
    return known.session;
  }

  async inUse(ids: readonly string[]): Promise<string[]> {
    const over: string[] = [];
    for (const id of ids) {
      const known = this.#alive(id);
      if (known) known.usedAt = Date.now();
      else over.push(id);
    }
    for (const id of this.#byId.keys()) this.#alive(id);
    return over;
  }

  async end(id: string): Promise<void> {
    this.#byId.delete(id);
  }

  async send(): Promise<void> {}

  async receive(): Promise<SessionMessage[]> {
    return [];
  }

  #alive(id: string): MemorySession | undefined {
    const known = this.#byId.get(id);
    if (!known) return undefined;
    const { idleMs } = known.session;
    // Processes report the use of a session with a delay.
    if (Date.now() - known.usedAt < idleMs + reportInterval(idleMs)) return known;
    this.#byId.delete(id);
    return undefined;
  }
}
