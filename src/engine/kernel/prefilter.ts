/** What a scan can look for. */

/** What every match must contain, in the form that the kernel looks for. */
export type Prefilter = LiteralFilter | WindowFilter | RunFilter | RepeatFilter;

export interface LiteralFilter {
  kind: 'literals';
  /** UTF-8 as one character for each byte; in lower case (A-Z alone) when case does not matter. */
  literals: readonly string[];
  ignoreCase: boolean;
  /** Literals that the line must also contain, all of them, anywhere. */
  alsoRequired?: readonly string[];
}

export interface WindowFilter {
  kind: 'window';
  length: number;
  /** For each byte value the positions that allow it, as bits. */
  allowed: Uint32Array;
  /** The three positions that tell most. */
  at: readonly [number, number, number];
}

export interface RunFilter {
  kind: 'run';
  /** In bytes. */
  length: number;
  /** 1 for each byte value that may be in it. */
  bytes: Uint8Array;
}

/** A text that occurs twice, with something between: the second time in this window. */
export interface RepeatFilter extends Omit<WindowFilter, 'kind'> {
  kind: 'repeat';
  /** The position of the window where the text occurs again. Its class is that of all bytes of the text. */
  lead: number;
  /** How long the text is at least, in bytes. */
  least: number;
  /** How many bytes are between; undefined for as many as are of the class of the position before `lead`. */
  gap: number | undefined;
  /** Whether the first text begins, and the second one ends, where a word does. */
  fromWord: boolean;
  toWord: boolean;
  /** Of ASCII letters. */
  ignoreCase: boolean;
}
