/** What a patch of several files does, whichever format it has. */
import type { HunkLine } from './hunk.ts';

export type FileOperation =
  | { kind: 'add'; path: string; content: string; mode?: number | undefined }
  /** There are no hunks if only the mode changes. */
  | { kind: 'update'; path: string; hunks: readonly LooseHunk[]; mode?: number | undefined }
  | { kind: 'rename'; path: string; newPath: string; hunks: readonly LooseHunk[]; mode?: number | undefined }
  /** `byLines`: the hunks must remove every line, as in a unified diff. `*** Begin Patch` deletes a file as it is. */
  | { kind: 'delete'; path: string; hunks: readonly LooseHunk[]; byLines: boolean };

/** A hunk that may lack parts of a proper unified diff. */
export interface LooseHunk {
  /** The line of the patch where the hunk begins, counted from 1. */
  line: number;
  /**
   * The first old line that the header states, counted from 1; for a hunk without old lines, the line to insert after.
   * Undefined if the header states none.
   */
  stated: number | undefined;
  /** The first new line that the header states; undefined if the header counts the lines wrongly. */
  newStart: number | undefined;
  /** Lines, from `@@ line`, that must come before the hunk in this order. */
  headings: readonly string[];
  /** Whether the last old line must be the last of the file. */
  endsFile: boolean;
  lines: readonly HunkLine[];
}
