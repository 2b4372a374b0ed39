/** What the operations on files report to the journal about what they are about to do. */

import type { SetAside } from '../../state/contents.ts';
import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import type { EntryType } from '../failures.ts';
import type { Change, FileImage, LinkTarget } from '../journal/entries/entry.ts';

/** What a file will hold: the bytes, or what is known of them. */
export type NewContent = Buffer | Pick<FileImage, 'size' | 'hash' | 'stamp'>;

/** What is known of something that will be created. */
export interface CreatedFacts {
  /** A file's content, and its mode where that is not the usual one. */
  bytes?: Buffer;
  mode?: number | undefined;
  /** A file whose content is not at hand as a whole. */
  image?: Omit<FileImage, 'kept'>;
  /** Where a symbolic link leads. */
  link?: LinkTarget;
  /** A directory with all that is in it, and what that is. */
  whole?: true;
  stamp?: string;
}

/** Operations on files report here what they are about to do. Each method settles once the change could be undone. */
export interface ChangeRecorder {
  /** Whether anything is kept at all. */
  readonly active: boolean;
  /** Whether an operation has reported a change of this path. */
  concerns(path: string): boolean;
  /** The part of the journal's entry that it writes. */
  readonly part?: string;
  /** The last change of a path that an operation reported. */
  lastChangeOf?(path: string): Change | undefined;
  /** Before a missing directory is made on the way to a place. */
  makesParent(path: string, root: string): void;
  /** Settles when what was kept for a file of known content survives a power cut; all else has waited by itself. */
  flushed(place: Place): Promise<void>;
  /** Before a directory is made, or something is restored that is not a file of known content. */
  creates(place: Place, type: EntryType, facts?: CreatedFacts): Promise<void>;
  /** After something was created: facts that nobody knew before. */
  becomes(place: Place, type: EntryType, facts: CreatedFacts): void;
  /**
   * Before a file gets other content, and keeps its mode unless another one is given. Gives what was kept, when it was
   * read for that.
   */
  replaces(
    place: Place,
    old: Stat,
    known: Buffer | undefined,
    after: NewContent,
    mode?: number,
  ): Promise<Buffer | undefined>;
  /**
   * Before something is removed. Gives the place to move it to instead, where that can be done; a directory that must
   * be empty is not moved.
   */
  removes(place: Place, old: Stat, must?: 'empty'): Promise<SetAside | undefined>;
  /** What was to be set aside could not be moved there: before it is removed after all. */
  cannotSetAside(place: Place, old: Stat): Promise<void>;
  /** `known`: what the file holds, when that has been read already. */
  moves(from: Place, to: Place, source: Stat, occupant: Stat | undefined, known?: Buffer): Promise<void>;
  /** Right before something is published that was prepared for long: settles when this may still be done. */
  ready?(): Promise<void>;
  /** The next step changes the disk. */
  begins(): void;
  /** It did not, or everything is as it was before. */
  tookBack(): void;
}

/** Runs the one step that changes the disk, or fails without having changed it. */
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
