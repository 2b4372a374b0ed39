/** Reports to the store, at intervals, which sessions this process has in use. */
import { reportInterval, type Sessions } from './sessions.ts';

export class SessionUse {
  readonly #sessions: Sessions;
  readonly #idleMs: number;
  #reportedAt = 0;

  /** `idleMs`: the same as for the sessions that are reported. */
  constructor(sessions: Sessions, idleMs: number) {
    this.#sessions = sessions;
    this.#idleMs = idleMs;
  }

  /** Reports when it is time to; `usedSince` gives the ids of the sessions in use. Returns those that are over. */
  async report(now: number, usedSince: (time: number) => string[]): Promise<string[]> {
    const since = this.#reportedAt;
    if (now - since < reportInterval(this.#idleMs)) return [];
    this.#reportedAt = now;
    const used = usedSince(since);
    return used.length === 0 ? [] : this.#sessions.inUse(used).catch(() => []);
  }
}
