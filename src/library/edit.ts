/** Edits that replace texts, and the failures of edits that cannot be made. */
import { type EditListResult, fail, type NearMatch } from '../engine/index.ts';

export interface Edit {
  oldText: string;
  newText: string;
  /** Replaces every occurrence instead of exactly one. */
  all?: boolean;
  /** If there are several occurrences, replaces the one closest to this line. */
  near?: number;
}

type Refused = Extract<EditListResult, { refusal: unknown }>;

/** Throws the failure of a refused edit. Edits that change nothing do not fail: their diff is empty. */
export function failOfRefusal(path: string, edits: readonly Edit[], refused: Refused): { diff: string } {
  if (!('edit' in refused)) return { diff: '' };
  const { refusal, edit } = refused;
  const { oldText: needle, newText } = edits[edit - 1]!;
  const about = { path, edit, needle, mode: 'exact' } as const;
  if (refusal.why === 'ambiguous') {
    fail({ kind: 'not-unique', ...about, count: refusal.count, lines: refusal.lines });
  }
  const near: NearMatch[] = [];
  if (refusal.why === 'already-applied') near.push({ line: refusal.line, text: newText });
  if (refusal.why === 'not-found' && refusal.closest) {
    const { line, diff } = refusal.closest;
    // The lines of the diff that are in the file.
    const lines = diff.filter((each) => !each.startsWith('-')).map((each) => each.slice(1));
    near.push({ line, text: lines.join('\n') });
  }
  return fail({ kind: 'no-match', ...about, near });
}
