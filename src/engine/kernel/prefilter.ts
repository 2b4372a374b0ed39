/** What a scan can look for: literals, a window of byte classes, a run of one class, or a text that occurs twice. */

/** What every match must contain, in a form that the kernel can look for. */
export type Prefilter = LiteralFilter | WindowFilter | RunFilter | RepeatFilter;

export interface LiteralFilter {
  kind: 'literals';
  /** UTF-8 as one character for each byte. When case does not matter, A to Z are in lower case. */
  literals: readonly string[];
  ignoreCase: boolean;
  /** Further literals: the line must contain all of them, anywhere. */
  alsoRequired?: readonly string[];
}

/** Adjacent bytes, each of a class of its own. */
export interface WindowFilter {
  kind: 'window';
  length: number;
  /** For each byte value, the positions of the window that allow it, as bits. */
  allowed: Uint32Array;
  /** The three positions that rule out most places. The scan checks them first. */
  at: readonly [number, number, number];
}

/** Many adjacent bytes of one class. */
export interface RunFilter {
  kind: 'run';
  /** How many bytes. */
  length: number;
  /** 1 at the index of each byte value that belongs to the class. */
  bytes: Uint8Array;
}

/** A text that occurs twice, with something in between. The window contains its second occurrence. */
export interface RepeatFilter extends Omit<WindowFilter, 'kind'> {
  kind: 'repeat';
  /** The position in the window where the second occurrence begins. All bytes of the text are of its class. */
  lead: number;
  /** The least length of the text, in bytes. */
  least: number;
  /** How many bytes are in between. Undefined: any number of bytes of the class of the position before `lead`. */
  gap: number | undefined;
  /** Whether the first occurrence must begin where a word begins. */
  fromWord: boolean;
  /** Whether the second occurrence must end where a word ends. */
  toWord: boolean;
  /** Whether the case of ASCII letters does not matter. */
  ignoreCase: boolean;
}
