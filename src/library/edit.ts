/** Edits by text, and the failures of those that cannot be made. */
import { type EditListResult, fail, type NearMatch } from '../engine/index.ts';

export interface Edit {
  oldText: string;
  newText: string;
  /** Replaces every place instead of exactly one. */
  all?: boolean;
  /** Of several places, takes the one closest to this line. */
  near?: number;
}

type Refused = Extract<EditListResult, { refusal: unknown }>;

/** Edits that change nothing are no failure: the diff is empty. */
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
    // Those of the diff that stand in the file.
    const lines = diff.filter((each) => !each.startsWith('-')).map((each) => each.slice(1));
    near.push({ line, text: lines.join('\n') });
  }
  return fail({ kind: 'no-match', ...about, near });
}
