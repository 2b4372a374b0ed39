/**
 * What the journal remembers: one entry for each call that changed something, with what is needed to undo it.
 *
 * An entry holds only facts that can be written as JSON. Paths are absolute, with all links resolved.
 */
import type { EntryType } from '../../failures.ts';

/** Who asked for a change, as far as that is known. */
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
  /** Set aside as it was, by a link or a rename, under a name of its own. */
  | { in: 'aside'; name: string }
  /** Not kept, and why. */
  | { in: 'nowhere'; why: string };

/** A file as it was or as it became. */
export interface FileImage {
  size: number;
  mode: number;
  /** SHA-256 of the content; missing for a large file that was set aside unread. */
  hash?: string;
  /** Identifies the file and its last write where no hash is known, see stamp.ts. */
  stamp?: string;
  kept: Kept;
}

/** Where a symbolic link leads. */
export interface LinkTarget {
  target: string;
  /** The target in base64, when it is not valid UTF-8. */
  bytes?: string;
}

/** What an entry did to one path. */
export type Change =
  | {
      kind: 'created';
      path: string;
      type: EntryType;
      /** The content of a new file, when it is known. */
      after?: Omit<FileImage, 'kept'>;
      /** The target of a symbolic link. */
      link?: LinkTarget;
      /** The call made this directory only as a parent of what it was asked for. */
      parent?: true;
      /** The directory came into being with all that is in it, in one step. */
      whole?: true;
      /** Identifies what was in a whole directory, see stamp.ts. */
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
      /** What a moved file held. */
      file?: Omit<FileImage, 'kept'>;
      /** The target of a moved symbolic link. */
      link?: LinkTarget;
    };

/** What was at a path that a call removed or replaced. */
export type Removed =
  | { type: 'file'; file: FileImage }
  | { type: 'directory'; mode: number }
  | ({ type: 'symlink' } & LinkTarget)
  /** A whole tree, or anything else, set aside as it was under this name. */
  | { type: 'aside'; name: string }
  /** A whole tree that could not be set aside in one step: its entries by their paths below it, parents first. */
  | { type: 'tree'; mode: number; entries: TreeEntry[] }
  /** Not kept, and why; `size` is the size of a file, where it is known. */
  | { type: 'lost'; why: string; size?: number };

/** Something within a tree. */
export interface TreeEntry {
  /** The path below the top of the tree. */
  path: string;
  /** The path in base64, when it is not valid UTF-8. */
  bytes?: string;
  removed: Removed;
}

/** `pending`: the entry itself, its undo or its redo is under way or was interrupted. */
export type EntryState = 'pending' | 'done' | 'undone';

export interface JournalEntry {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The served directories in which the call changed something. */
  roots: string[];
  origin: Origin;
  changes: Change[];
  state: EntryState;
  /** The entry that this one undid. */
  undoes?: string;
  /** The changes were found by comparing snapshots from before and after a command; no operation reported them. */
  found?: true;
  /** Why the journal does not know what the command changed. */
  unrecorded?: string;
  /** The user had something removed that the entry had kept. */
  forgotten?: true;
}

/** What a change replaced or removed; undefined when nothing was there. A file that got other content was replaced. */
export function removedBy(change: Change): Removed | undefined {
  switch (change.kind) {
    case 'created':
      return undefined;
    case 'changed':
      return { type: 'file', file: change.before };
    case 'removed':
      return change.before;
    case 'moved':
      return change.replaced;
  }
}

/** Whether the change only made a parent directory of what the call was asked for. */
export function isMadeParent(change: Change): boolean {
  return change.kind === 'created' && change.parent === true;
}
