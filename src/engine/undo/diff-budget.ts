/** Truncates diffs so that they fit into one answer. */
import type { FileDiff } from './diff.ts';

const MOST_DIFF = 512 * 1024;
const MOST_OF_ALL_DIFFS = 2 * 1024 * 1024;
const TRUNCATED = 'The rest of this diff is not shown: it is too long.';

/** How many files an answer lists. */
export const MOST_LISTED = 1000;

type ShownDiff = Pick<FileDiff, 'path' | 'to' | 'kind' | 'text' | 'note'>;

export class DiffBudget {
  #left = MOST_OF_ALL_DIFFS;

  fit(diffs: readonly ShownDiff[]): ShownDiff[] {
    return diffs.slice(0, MOST_LISTED).map(({ path, to, kind, text, note }) => {
      const truncated = this.truncate(text);
      const said = truncated.length < text.length ? [note, TRUNCATED].filter(Boolean).join(' ') : note;
      return { path, kind, text: truncated, ...(to !== undefined && { to }), ...(said && { note: said }) };
    });
  }

  /** Truncates after a whole line. */
  truncate(text: string): string {
    const most = Math.min(MOST_DIFF, this.#left);
    const truncated = text.length <= most ? text : text.slice(0, text.lastIndexOf('\n', most - 1) + 1);
    this.#left -= truncated.length;
    return truncated;
  }
}
