/** The lines of the journal's log. */
import type { LogOptions } from '../../../state/log.ts';
import type { Change, Origin } from './entry.ts';

/**
 * One line begins a part of an entry, adds to it or ends it; or it says which entries were dropped, or what the user
 * had removed.
 */
export interface Line {
  /** The id of the part; also the id of the entry, unless `call` names another one. */
  e?: string;
  /** The id of the entry that the part belongs to: one call may make several changes, one after another. */
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
  /** Whether the changes of these paths were done, as another server found after this one was interrupted. */
  settled?: { path: string; done: boolean }[];
  /** The ids of parts that the journal gave up. */
  drop?: string[];
  /** Contents and things set aside that the user had removed. */
  forgot?: string[];
  /** What the user had removed within things set aside: the name of the thing, and the path in it. */
  inside?: [name: string, path: string][];
  /** The entries that the user named: they no longer protect contents that they share with other entries. */
  of?: string[];
}

/** How the log stores the lines. */
export const lineRecords: LogOptions<Line> = { accept: (value) => value as Line, checksums: true };
