/** Everything that must outlive a process, wherever it is kept: the journal and the trace receive it instead of paths. */
import type { Contents } from './contents.ts';
import type { Locks } from './locks.ts';
import type { Log, LogOptions } from './log.ts';
import type { Sessions } from './sessions.ts';

export interface State {
  /** The same for all who share the state, and for nobody else. */
  readonly name: string;
  readonly contents: Contents;
  readonly locks: Locks;
  readonly notes: Notes;
  readonly sessions: Sessions;
  /** Where the state lies in a directory of this machine: scratch files may be made in it. */
  readonly localDirectory?: string | undefined;
  /** Where other machines share the state: how they call what this one knows by its path. */
  readonly paths?: SharedPaths | undefined;

  /** Nothing is opened before the first record is written or read. */
  log<R extends object>(name: 'journal' | 'trace', options: LogOptions<R>): Log<R>;

  /** Closes the content store and all logs that were opened here. What was not flushed may be lost. */
  close(): Promise<void>;
}

/**
 * Short texts under a name, of which only the last one counts.
 *
 * A reader gets the whole text of some writer, or undefined when nobody has written one. Nothing depends on a note:
 * one that is lost is as if it had never been written.
 */
export interface Notes {
  read(name: string): Promise<Note | undefined>;
  write(name: string, text: string): Promise<void>;
}

export interface Note {
  text: string;
  /** When it was written, in milliseconds since 1970. */
  at: number;
}

/**
 * Paths in a form that all machines understand, wherever each of them has mounted a directory.
 *
 * A shared path is `=NAME/…`: the name of a served directory and the path from there. No absolute path looks like that.
 * What lies in no directory with a name stays as it is, and so does the path in a directory that is not served here.
 */
export interface SharedPaths {
  toShared(path: string): string;
  fromShared(path: string): string;
}

/** The state cannot be reached: nothing that needs it can be done, and nothing was. */
export class StateUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the database that keeps the history cannot be reached', { cause });
    this.name = 'StateUnavailable';
  }
}
