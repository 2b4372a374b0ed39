/** How much of diffs fits into one answer. */
import type { FileDiff } from './diff.ts';

const MOST_DIFF = 512 * 1024;
const MOST_OF_ALL_DIFFS = 2 * 1024 * 1024;
const CLIPPED = 'The rest of this diff is not shown: it is too long.';

/** As many files as an answer lists. */
export const MOST_LISTED = 1000;

type ShownDiff = Pick<FileDiff, 'path' | 'to' | 'kind' | 'text' | 'note'>;

export class DiffBudget {
  #left = MOST_OF_ALL_DIFFS;

  fit(diffs: readonly ShownDiff[]): ShownDiff[] {
    return diffs.slice(0, MOST_LISTED).map(({ path, to, kind, text, note }) => {
      const clipped = this.clip(text);
      const said = clipped.length < text.length ? [note, CLIPPED].filter(Boolean).join(' ') : note;
      return { path, kind, text: clipped, ...(to !== undefined && { to }), ...(said && { note: said }) };
    });
  }

  /** Cuts after a whole line. */
  clip(text: string): string {
    const most = Math.min(MOST_DIFF, this.#left);
    const clipped = text.length <= most ? text : text.slice(0, text.lastIndexOf('\n', most - 1) + 1);
    this.#left -= clipped.length;
    return clipped;
  }
}
