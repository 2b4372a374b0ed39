/** What a patch of several files asks for, whichever form it was written in. */
import type { HunkLine } from './hunk.ts';

export type FileOperation =
  | { kind: 'add'; path: string; content: string; mode?: number | undefined }
  /** A change of the mode alone comes without hunks. */
  | { kind: 'update'; path: string; hunks: readonly LooseHunk[]; mode?: number | undefined }
  | { kind: 'rename'; path: string; newPath: string; hunks: readonly LooseHunk[]; mode?: number | undefined }
  /** `byLines`: the hunks of a unified diff must remove every line of the file. The other form deletes it as it is. */
  | { kind: 'delete'; path: string; hunks: readonly LooseHunk[]; byLines: boolean };

/** A hunk that may lack what a unified diff must have. */
export interface LooseHunk {
  /** Where it begins in the patch, from 1. */
  line: number;
  /**
   * The first old line as the header states it, from 1; of a hunk without old lines, the line after which it goes.
   * Undefined where the header states none.
   */
  stated: number | undefined;
  /** The first new line as the header states it; undefined where the header does not count the lines rightly. */
  newStart: number | undefined;
  /** Lines that must stand before the hunk, from `@@ line`, in this order. */
  headings: readonly string[];
  /** Whether the last old line must be the last of the file. */
  endsFile: boolean;
  lines: readonly HunkLine[];
}
