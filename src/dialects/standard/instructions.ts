/** The instructions for a client's model, in three lines: where it works, how it finds things, how it can undo. */
import type { ServedFacts } from '../dialect.ts';

export function instructions({ directories, canUndo, offers }: ServedFacts): string {
  return [where(directories), how(offers), back(canUndo && offers('undo'), offers)]
    .filter(Boolean)
    .join('\n');
}

function where(directories: ServedFacts['directories']): string {
  if (directories.length === 0)
    return 'Directories: the roots that the client names; nothing else can be reached.';
  const paths = directories.map(({ path, writable }) => (writable ? path : `${path} (read-only)`));
  return `Directories: ${paths.join(', ')}. Nothing else can be reached; relative paths are looked for in each in turn.`;
}

function how(offers: ServedFacts['offers']): string {
  const finds = ['grep_files', 'search_files'].filter(offers);
  const reads = offers('read_text_file')
    ? 'read the part that matters (read_text_file with offset and limit)'
    : '';
  const first =
    finds.length > 0
      ? `search first (${finds.join(' for contents, ')}${finds.length > 1 ? ' for names' : ''})`
      : '';
  const both = [first, reads].filter(Boolean).join(', then ');
  return both === ''
    ? ''
    : `${both.charAt(0).toUpperCase()}${both.slice(1)}; a long answer ends with the call that continues.`;
}

function back(canUndo: boolean, offers: ServedFacts['offers']): string {
  if (!canUndo) return '';
  return offers('history')
    ? 'Every change is kept: history lists them, undo takes one back.'
    : 'Every change is kept: undo takes one back.';
}
