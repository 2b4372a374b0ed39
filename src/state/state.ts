/** Everything that must outlive a process, wherever it is stored: the journal and the trace get this, not paths. */
import type { Contents } from './contents.ts';
import type { Locks } from './locks.ts';
import type { Log, LogOptions } from './log.ts';
import type { Sessions } from './sessions.ts';

export interface State {
  /** Two processes that share the state see the same name; no other state has it. */
  readonly name: string;
  readonly contents: Contents;
  readonly locks: Locks;
  readonly notes: Notes;
  readonly sessions: Sessions;
  /** Set when the state is in a directory of this machine: callers may make scratch files in it. */
  readonly localDirectory?: string | undefined;
  /** Set when other machines share the state: translates between their names for a file and the path here. */
  readonly paths?: SharedPaths | undefined;

  /** Opens nothing before the first record is written or read. */
  log<R extends object>(name: 'journal' | 'trace', options: LogOptions<R>): Log<R>;

  /** Closes the content store and all logs of this object. Records that were not flushed may be lost. */
  close(): Promise<void>;
}

/**
 * Short texts by name; writing one replaces the text before it.
 *
 * A reader gets one writer's whole text, or undefined when there is none. Nothing may depend on a note: a lost note
 * must have the same effect as one that was never written.
 */
export interface Notes {
  read(name: string): Promise<Note | undefined>;
  write(name: string, text: string): Promise<void>;
}

export interface Note {
  text: string;
  /** The time of writing, in milliseconds since 1970. */
  at: number;
}

/**
 * Paths in a form that all machines understand, wherever each of them has mounted a directory.
 *
 * A shared path is `=NAME/…`: the name of a served directory and the path from there. No absolute path looks like that.
 * Both functions return a path unchanged when it is in no named directory, or in one that is not served here.
 */
export interface SharedPaths {
  toShared(path: string): string;
  fromShared(path: string): string;
}

/** The state cannot be reached: the operation that needed it was not carried out. */
export class StateUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the database that keeps the history cannot be reached', { cause });
    this.name = 'StateUnavailable';
  }
}
