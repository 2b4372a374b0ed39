/** One connection to the database. It sends statements one after another, and each has a timeout. */
import type { ClientConfig, QueryResult } from 'pg';
import { StateUnavailable } from '../../state.ts';
import { Client } from './driver.ts';

const ANSWER_MS = 5000;

export type Row = Record<string, unknown>;
export type Values = readonly unknown[];

export interface QueryOptions {
  /** The timeout of the statement: longer than it takes whenever the database and the network are well. */
  ms?: number;
}

/** The database did not answer in time, or the network did not deliver. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

export class Connection {
  readonly #client: Client;
  #last: Promise<unknown> = Promise.resolve();
  #lost: Error | undefined;

  private constructor(client: Client) {
    this.#client = client;
    client.on('error', (error) => this.#lose(error));
    client.on('end', () => this.#lose(new Error('the connection has ended')));
  }

  static async open(config: ClientConfig): Promise<Connection> {
    const client = new Client(config);
    const connection = new Connection(client);
    try {
      await client.connect();
    } catch (error) {
      connection.close();
      throw isRefusal(error) ? error : new StateUnavailable(error);
    }
    return connection;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** One statement with parameters, or several without, as one message. */
  query(text: string, values?: Values, { ms = ANSWER_MS }: QueryOptions = {}): Promise<Row[]> {
    const result = this.#last.then(() => this.#run(text, values, ms));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Lets the process end while the connection is idle. */
  unref(): void {
    this.#stream.unref?.();
  }

  ref(): void {
    this.#stream.ref?.();
  }

  close(): void {
    this.#lost ??= new Error('the connection was closed');
    // Does not say goodbye first: the other end may not receive it.
    this.#stream.destroy();
  }

  async #run(text: string, values: Values | undefined, ms: number): Promise<Row[]> {
    if (this.#lost) throw new StateUnavailable(this.#lost);
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new NoAnswer(ms);
        this.#lose(error);
        reject(new StateUnavailable(error));
      }, ms);
    });
    try {
      const asked: Promise<QueryResult<Row> | QueryResult<Row>[]> = values
        ? this.#client.query(text, [...values])
        : this.#client.query(text);
      asked.catch(() => {});
      const result = await Promise.race([asked, tooLong]);
      return Array.isArray(result) ? result.flatMap(({ rows }) => rows ?? []) : result.rows;
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#lose(error as Error);
      throw error instanceof StateUnavailable ? error : new StateUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #lose(error: Error): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#stream.destroy();
  }

  get #stream(): Stream {
    // The type declarations of the client omit this property.
    return (this.#client as unknown as { connection: { stream: Stream } }).connection.stream;
  }
}

interface Stream {
  ref?(): void;
  unref?(): void;
  destroy(): void;
}

/** The codes that more than one caller of `sqlState` looks for. */
export const UNIQUE_VIOLATION = '23505';
export const LOCK_NOT_AVAILABLE = '55P03';

/** PostgreSQL's five-character error code (SQLSTATE). */
export function sqlState(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code) ? code : undefined;
}

/**
 * Whether the database cannot be used for now: the connection is gone (08, or no code at all), the server shuts down or
 * starts (57P), ended the session (25P03), has no resources (53), or became a standby (25006).
 */
function isLoss(error: unknown): boolean {
  const code = sqlState(error);
  return code === undefined || /^(08|53|57P|25P03|25006)/.test(code);
}

/** Whether the user, password, database or rights are wrong: waiting does not help. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D|42501)/.test(sqlState(error) ?? '');
}
