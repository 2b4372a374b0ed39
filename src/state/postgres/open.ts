/** Opens the state of a fleet: one database for all its replicas, one set of connections for all of this process. */

import type { Contents } from '../contents.ts';
import { LockQueues } from '../lock-queues.ts';
import type { State } from '../state.ts';
import { Database } from './connections/database.ts';
import { parseAddress } from './connections/settings.ts';
import { PostgresContents } from './contents/postgres-contents.ts';
import { requireLocks } from './locks/lock-check.ts';
import { PostgresLocks } from './locks/locks.ts';
import { PostgresLogWriter } from './log/log-writer.ts';
import { PostgresLog } from './log/postgres-log.ts';
import { TraceDays } from './log/trace-days.ts';
import { PostgresNotes } from './notes.ts';
import { PostgresSessions } from './sessions/postgres-sessions.ts';
import { type Workspace, WorkspacePaths } from './shared-paths.ts';
import { bindWorkspace } from './workspaces.ts';

const CLOSE_MS = 2000;

export class Fleet {
  readonly database: Database;
  readonly #workspaces: readonly Workspace[];
  readonly #queues = new LockQueues();
  readonly #writers = new Map<string, PostgresLogWriter>();

  /** Connects to nothing before something is asked. */
  constructor(address: string, workspaces: readonly Workspace[] = []) {
    this.database = new Database(parseAddress(address));
    this.#workspaces = workspaces;
  }

  /** Where the state is, for the operator: without a user and a password. */
  get says(): string {
    return this.database.settings.says;
  }

  /**
   * Connects, makes the tables where they are missing, and checks that locks hold and that each name means the
   * directory that it is given for.
   */
  async check({ mayMark }: { mayMark: (workspace: Workspace) => boolean }): Promise<void> {
    await this.database.ready();
    await requireLocks(this.database);
    for (const each of this.#workspaces) {
      await bindWorkspace(this.database, each, { mayMark: mayMark(each) });
    }
  }

  /** Each part of the program has its own, and closes it; they share the connections. */
  openState(): State {
    const paths = new WorkspacePaths(this.#workspaces);
    const locks = new PostgresLocks(this.database, paths, this.#queues);
    const logs = new Set<{ close(): void }>();
    let contents: Contents | undefined;
    const makeContents = () => new PostgresContents(this.database, () => this.#writer('journal').flush());
    return {
      // All who use the same tables share the state, however they reach them.
      name: `postgres ${this.database.settings.schema}`,
      locks,
      paths,
      notes: new PostgresNotes(this.database),
      sessions: new PostgresSessions(this.database),
      get contents() {
        contents ??= makeContents();
        return contents;
      },
      log: (name, options) => {
        const log = new PostgresLog(this.database, name, this.#writer(name), options);
        logs.add(log);
        return log;
      },
      close: async () => {
        for (const log of logs) log.close();
        logs.clear();
        contents?.close();
        await this.#flush(CLOSE_MS);
      },
    };
  }

  /** Writes what waits, unless the database is away, and ends all connections. */
  async close(): Promise<void> {
    await this.#flush(CLOSE_MS);
    for (const writer of this.#writers.values()) writer.close();
    this.database.close();
  }

  #writer(log: string): PostgresLogWriter {
    const days = log === 'trace' ? new TraceDays(this.database) : undefined;
    const writer = this.#writers.get(log) ?? new PostgresLogWriter(this.database, log, days);
    this.#writers.set(log, writer);
    return writer;
  }

  async #flush(ms: number): Promise<void> {
    const flushed = Promise.allSettled([...this.#writers.values()].map((writer) => writer.flush()));
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([flushed, tooLong]);
    clearTimeout(timer);
  }
}
