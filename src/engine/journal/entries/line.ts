/** The lines that the journal's log keeps. */
import type { LogOptions } from '../../../state/log.ts';
import type { Change, Origin } from './entry.ts';

/** One line: the beginning of an entry, more of it, its end, or which entries were given up. */
export interface Line {
  /** The entry's id. */
  e?: string;
  /** The entry that it is a part of: one call may make several changes, one after another. */
  call?: string;
  at?: number;
  by?: Origin;
  roots?: string[];
  did?: Change[];
  undoes?: string;
  found?: true;
  unrecorded?: string;
  /** These changes replace those that an earlier line named for the same paths. */
  instead?: true;
  end?: 'done' | 'failed';
  /** What became of the changes of these paths, found by another server after this one was interrupted. */
  settled?: { path: string; done: boolean }[];
  drop?: string[];
  /** Contents and things set aside that the user had removed. */
  forgot?: string[];
  /** The same within something that was set aside: its name, and the path in it. */
  inside?: [name: string, path: string][];
  /** The entries for which the user asked that: they no longer protect what they share with others. */
  of?: string[];
}

/** How the journal's log keeps lines. */
export const lineRecords: LogOptions<Line> = { accept: (value) => value as Line, checksums: true };
