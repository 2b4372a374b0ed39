/** Opens the state of a fleet: one database for all its replicas, one set of connections for this whole process. */
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

  /** Does not connect before the first query. */
  constructor(address: string, workspaces: readonly Workspace[] = []) {
    this.database = new Database(parseAddress(address));
    this.#workspaces = workspaces;
  }

  /** Where the state is, for the operator; without user and password. */
  get says(): string {
    return this.database.settings.says;
  }

  /**
   * Connects, creates missing tables, and checks that locks work and that each name belongs to the directory that it
   * was given for.
   */
  async check({ mayMark }: { mayMark: (workspace: Workspace) => boolean }): Promise<void> {
    await this.database.ready();
    await requireLocks(this.database);
    for (const each of this.#workspaces) {
      await bindWorkspace(this.database, each, { mayMark: mayMark(each) });
    }
  }

  /** Each part of the program opens and closes its own state; all of them share the connections. */
  openState(): State {
    const paths = new WorkspacePaths(this.#workspaces);
    const locks = new PostgresLocks(this.database, paths, this.#queues);
    const logs = new Set<{ close(): void }>();
    let contents: Contents | undefined;
    const makeContents = () => new PostgresContents(this.database, () => this.#writer('journal').flush());
    return {
      // Processes with the same tables share the state, whatever address they use for the database.
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
        await this.#flush();
      },
    };
  }

  /** Writes the waiting records, unless the database is unavailable, and ends all connections. */
  async close(): Promise<void> {
    await this.#flush();
    for (const writer of this.#writers.values()) writer.close();
    this.database.close();
  }

  #writer(log: string): PostgresLogWriter {
    const days = log === 'trace' ? new TraceDays(this.database) : undefined;
    const writer = this.#writers.get(log) ?? new PostgresLogWriter(this.database, log, days);
    this.#writers.set(log, writer);
    return writer;
  }

  async #flush(): Promise<void> {
    const flushed = Promise.allSettled([...this.#writers.values()].map((writer) => writer.flush()));
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([flushed, tooLong]);
    clearTimeout(timer);
  }
}
