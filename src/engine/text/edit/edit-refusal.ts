/** Why an edit cannot be made: facts that each dialect puts into words. All lines count from 1. */

export type EditRefusal =
  /** The text occurs nowhere. */
  | { why: 'not-found'; closest?: ClosestPlace | undefined; hasElision: boolean }
  /** The text occurs nowhere, but its replacement occurs once. */
  | { why: 'already-applied'; line: number }
  /** The text occurs in several places; `lines` names at most the first 20. */
  | { why: 'ambiguous'; count: number; lines: readonly number[] }
  /** Only an empty file has an empty text to replace. */
  | { why: 'empty-old-text' }
  | { why: 'bad-anchors'; written: string }
  /** The range ends before it begins. */
  | { why: 'reversed-range'; written: string }
  /** The lines are not, or not certainly, those that the anchors name. `shown` has them as they are now. */
  | { why: 'stale-anchors'; written: string; shown: readonly AnchoredLine[]; lines: number }
  /** Two edits change the same lines; `other` is the earlier one, counted from 1. */
  | { why: 'overlap'; other: number };

/** The place that shares the most lines with a text that occurs nowhere as a whole. */
export interface ClosestPlace {
  /** The first line of the place. */
  line: number;
  /** How many lines the place and the text share, and how many lines the text has. */
  shared: number;
  of: number;
  /** Lines that begin with ` `, `-` (only in the text that was looked for) or `+` (only in the file). */
  diff: readonly string[];
  /** Whether the diff was truncated. */
  isCut: boolean;
}

export interface AnchoredLine {
  line: number;
  hash: string;
  text: string;
}
