/** On whose behalf the engine works, and who hears what it touches. */
import type { Origin } from './journal/entries/entry.ts';

/** What was done at one path, or was not allowed: `refused`. */
export type How =
  | 'read'
  | 'listed'
  | 'searched'
  | 'looked-at'
  | 'ran-in'
  | 'created'
  | 'changed'
  | 'removed'
  | 'moved-from'
  | 'moved-to'
  | 'refused';

export interface Access {
  /** Absolute, with all links resolved; where a path led nowhere, as it reads. */
  path: string;
  how: How;
  bytes?: number;
  /** How many names the file has, when it has more than one. */
  links?: number;
}

export interface Caller {
  /** Kept in the journal with each change. */
  readonly origin: Origin;
  touched(access: Access): void;
  /** A change was entered in the journal under this id. */
  entered(id: string): void;
  /** What stands around a command that was run. */
  confined(layers: readonly string[]): void;
  /** Something that is to be known besides. */
  noted(note: string): void;
  /** Something that the client must hear besides the answer: one sentence in square brackets. */
  told?(note: string): void;
}

/** For those who ask in their own name and listen to nothing. */
export const nobody: Caller = {
  origin: {},
  touched: () => {},
  entered: () => {},
  confined: () => {},
  noted: () => {},
};
