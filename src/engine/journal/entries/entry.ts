/**
 * What the journal remembers: one entry for each call that changed something, with what is needed to restore it.
 *
 * It holds only facts that can be written as JSON. Paths are absolute, with all links resolved.
 */
import type { EntryType } from '../../failures.ts';

/** On whose behalf something was changed, as far as that is known. */
export interface Origin {
  session?: string;
  /** The name of a token. */
  who?: string;
  dialect?: string;
  tool?: string;
}

/** Where the journal keeps what a file held. */
export type Kept =
  /** In the store, under its own hash. */
  | { in: 'store' }
  /** Set aside as it was, by a link or a rename, under this name. */
  | { in: 'aside'; name: string }
  /** Not at all, and why. */
  | { in: 'nowhere'; why: string };

/** A file as it was or as it became. */
export interface FileImage {
  size: number;
  mode: number;
  /** SHA-256 of the content; missing for a large file that was set aside unread. */
  hash?: string;
  /** Instead of the hash: which file it is and when somebody last wrote to it, see stamp.ts. */
  stamp?: string;
  kept: Kept;
}

/** Where a symbolic link leads. */
export interface LinkTarget {
  target: string;
  /** The same in base64, where it is not valid UTF-8. */
  bytes?: string;
}

/** What an entry did to one path. */
export type Change =
  | {
      kind: 'created';
      path: string;
      type: EntryType;
      /** Of a file whose new content is known. */
      after?: Omit<FileImage, 'kept'>;
      /** Of a symbolic link. */
      link?: LinkTarget;
      /** A directory that the call only made above what it is about. */
      parent?: true;
      /** A directory with all that was in it, restored in one step. */
      whole?: true;
      /** What was in it then, see stamp.ts. */
      stamp?: string;
      /** Why it cannot be removed again. */
      lost?: string;
    }
  | { kind: 'changed'; path: string; before: FileImage; after: Omit<FileImage, 'kept'> }
  | { kind: 'removed'; path: string; type: EntryType; before: Removed }
  | {
      kind: 'moved';
      path: string;
      to: string;
      type: EntryType;
      replaced?: Removed;
      /** Of a file that was moved: what it held. */
      file?: Omit<FileImage, 'kept'>;
      /** Of a symbolic link that was moved. */
      link?: LinkTarget;
    };

/** What was at a path that a call removed or replaced. */
export type Removed =
  | { type: 'file'; file: FileImage }
  | { type: 'directory'; mode: number }
  | ({ type: 'symlink' } & LinkTarget)
  /** A whole tree, or anything else, set aside as it was. */
  | { type: 'aside'; name: string }
  /** A whole tree that could not be set aside in one step: its entries by their paths below it, parents first. */
  | { type: 'tree'; mode: number; entries: TreeEntry[] }
  /** Not kept, and why; with the size that a file had, where that is known. */
  | { type: 'lost'; why: string; size?: number };

/** Something within a tree. */
export interface TreeEntry {
  path: string;
  /** The same in base64, where it is not valid UTF-8. */
  bytes?: string;
  removed: Removed;
}

/** `pending`: under way or interrupted, in the middle of it, of an undo of it, or of a redo. */
export type EntryState = 'pending' | 'done' | 'undone';

export interface JournalEntry {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The directories that were served and in which something was changed. */
  roots: string[];
  origin: Origin;
  changes: Change[];
  state: EntryState;
  /** The entry that this one undid. */
  undoes?: string;
  /** Found by comparing snapshots from before and after a command; no operation reported it. */
  found?: true;
  /** Why the journal does not know what the command changed. */
  unrecorded?: string;
  /** The user had something removed that the entry had kept. */
  forgotten?: true;
}

/** Whether the change only made a directory above what the call is about. */
export function isMadeParent(change: Change): boolean {
  return change.kind === 'created' && change.parent === true;
}
