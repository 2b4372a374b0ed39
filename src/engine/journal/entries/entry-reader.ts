/** Reads the entries of one journal, each time only what was added. Frees the memory after a while without reads. */
import type { Log, LogConsumer, LogReader } from '../../../state/log.ts';
import { EntryIndex, type ForgottenNames } from './entry-index.ts';
import type { Line } from './line.ts';

const RELEASE_AFTER_MS = 30_000;

export class EntryReader {
  readonly #log: Log<Line>;
  #reading: { from: LogReader; into: IndexBuilder } | undefined;
  #release: NodeJS.Timeout | undefined;
  /** Kept when the index is freed: it is small, and an undo needs it again and again. */
  #forgotten: ForgottenNames | undefined;

  constructor(log: Log<Line>) {
    this.#log = log;
  }

  /** All entries, also those that other processes added. Reads a long journal in many turns of the event loop. */
  async read(): Promise<EntryIndex> {
    this.#reading ??= this.#begin();
    const { from, into } = this.#reading;
    this.#release ??= setTimeout(() => this.#letGo(), RELEASE_AFTER_MS).unref();
    await from.catchUp();
    this.#release?.refresh();
    this.#forgotten = into.index.forgotten;
    return into.index;
  }

  /** What the user had removed by the time of the last `read`. */
  get forgotten(): ForgottenNames {
    if (!this.#forgotten) throw new Error('the journal was not read yet');
    return this.#forgotten;
  }

  #begin(): { from: LogReader; into: IndexBuilder } {
    const into = new IndexBuilder();
    return { from: this.#log.reader(into), into };
  }

  #letGo(): void {
    this.#reading = undefined;
    this.#release = undefined;
  }
}

/** While the log delivers all lines again, callers still see the previous entries. */
class IndexBuilder implements LogConsumer<Line> {
  index = new EntryIndex();
  #coming = this.index;

  take(line: Line): void {
    this.#coming.take(line);
  }

  restart(): void {
    this.#coming = new EntryIndex();
  }

  caughtUp(): void {
    this.#coming.update();
    this.index = this.#coming;
  }
}
