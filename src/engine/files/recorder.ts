/** The port through which operations on files report to the journal what they are about to do. */

import type { SetAside } from '../../state/contents.ts';
import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import type { EntryType } from '../failures.ts';
import type { Change, FileImage, LinkTarget } from '../journal/entries/entry.ts';

/** The content that a file will have: the bytes, or what is known about them. */
export type NewContent = Buffer | Pick<FileImage, 'size' | 'hash' | 'stamp'>;

/** What is known about something that will be created. */
export interface CreatedFacts {
  /** A file's content, and its mode if that is not the usual one. */
  bytes?: Buffer;
  mode?: number | undefined;
  /** Describes a file whose whole content is not in memory. */
  image?: Omit<FileImage, 'kept'>;
  /** Where a symbolic link leads. */
  link?: LinkTarget;
  /** Set for a directory that is created with everything in it; `stamp` says what that is. */
  whole?: true;
  stamp?: string;
}

/** Operations call these methods before they change something. Each one settles once the change could be undone. */
export interface ChangeRecorder {
  /** Whether anything is recorded at all. */
  readonly active: boolean;
  /** Whether an operation has reported a change of this path. */
  concerns(path: string): boolean;
  /** The part of the journal entry that this recorder writes. */
  readonly part?: string;
  /** The last change of this path that an operation reported. */
  lastChangeOf?(path: string): Change | undefined;
  /** Called before a missing parent directory is created. */
  makesParent(path: string, root: string): void;
  /** Settles when what was stored for a file of known content would survive a power cut. Other methods wait for it. */
  flushed(place: Place): Promise<void>;
  /** Called before something is created or restored. */
  creates(place: Place, type: EntryType, facts?: CreatedFacts): Promise<void>;
  /** Called after something was created, with facts that were not known before. */
  becomes(place: Place, type: EntryType, facts: CreatedFacts): void;
  /**
   * Called before a file gets other content; it keeps its mode unless another one is given. Returns the old content if
   * the recorder read it in order to store it.
   */
  replaces(
    place: Place,
    old: Stat,
    known: Buffer | undefined,
    after: NewContent,
    mode?: number,
  ): Promise<Buffer | undefined>;
  /**
   * Called before something is removed. Returns the place to move it to instead, if that is possible; a directory that
   * must be empty is not moved.
   */
  removes(place: Place, old: Stat, must?: 'empty'): Promise<SetAside | undefined>;
  /** Called if something could not be moved to the place from `removes`, before it is removed after all. */
  cannotSetAside(place: Place, old: Stat): Promise<void>;
  /** Called before a move. `known` is the content of the file, if that has already been read. */
  moves(from: Place, to: Place, source: Stat, occupant: Stat | undefined, known?: Buffer): Promise<void>;
  /** Called right before a prepared change is published: settles if the change may still be made, else fails. */
  ready?(): Promise<void>;
  /** Called right before the step that changes the disk. */
  begins(): void;
  /** Called after `begins` if nothing was changed, or everything was restored. */
  tookBack(): void;
}

/** Runs the one step that changes the disk; if it throws, it must have changed nothing. */
export function changeDisk<T>(recorder: ChangeRecorder, step: () => T): T {
  recorder.begins();
  try {
    return step();
  } catch (error) {
    recorder.tookBack();
    throw error;
  }
}

/** For an engine without a journal. */
export const noRecorder: ChangeRecorder = {
  active: false,
  concerns: () => false,
  makesParent: () => {},
  flushed: async () => {},
  creates: async () => {},
  becomes: () => {},
  replaces: async () => undefined,
  removes: async () => undefined,
  cannotSetAside: async () => {},
  moves: async () => {},
  begins: () => {},
  tookBack: () => {},
};
