/** Why a change could never be undone: the journal did not keep what was there before. */
import type { Change, FileImage, Removed } from './entry.ts';

export function whyLost(change: Change): string | undefined {
  switch (change.kind) {
    case 'created':
      return change.lost;
    case 'changed':
      return whyImageLost(change.before);
    case 'removed':
      return whyRemovedLost(change.before);
    case 'moved':
      return change.replaced && whyRemovedLost(change.replaced);
  }
}

function whyRemovedLost(removed: Removed): string | undefined {
  if (removed.type === 'lost') return removed.why;
  return removed.type === 'file' ? whyImageLost(removed.file) : undefined;
}

function whyImageLost({ kept }: FileImage): string | undefined {
  return kept.in === 'nowhere' ? kept.why : undefined;
}
