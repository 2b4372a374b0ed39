/** Parses a unified diff: the kind of each line, and its numbers in the old and the new file. */
export interface DiffLine {
  kind: 'head' | 'hunk' | 'same' | 'added' | 'removed' | 'remark';
  text: string;
  old?: number;
  new?: number;
}

export function diffLines(diff: string): DiffLine[] {
  if (diff === '') return [];
  const texts = diff.endsWith('\n') ? diff.slice(0, -1).split('\n') : diff.split('\n');
  const lines: DiffLine[] = [];
  // Counts the lines left in the hunk: a removed line may begin with `-- ` and is not a header then.
  let [oldAt, newAt, oldLeft, newLeft] = [0, 0, 0, 0];
  for (const text of texts) {
    const hunk = oldLeft + newLeft === 0 ? /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text) : null;
    if (hunk) {
      [oldAt, newAt] = [Number(hunk[1]), Number(hunk[3])];
      [oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      lines.push({ kind: 'hunk', text });
    } else if (text.startsWith('\\')) lines.push({ kind: 'remark', text });
    else if (oldLeft + newLeft === 0) lines.push({ kind: 'head', text });
    else if (text.startsWith('+')) {
      lines.push({ kind: 'added', text, new: newAt++ });
      newLeft--;
    } else if (text.startsWith('-')) {
      lines.push({ kind: 'removed', text, old: oldAt++ });
      oldLeft--;
    } else {
      lines.push({ kind: 'same', text, old: oldAt++, new: newAt++ });
      oldLeft--;
      newLeft--;
    }
  }
  return lines;
}

export function isCode(kind: DiffLine['kind']): boolean {
  return kind === 'same' || kind === 'added' || kind === 'removed';
}

/** Drops a `\r` that ends every line. Where only some lines end with it, it is a difference and stays. */
export function withoutCommonEnds(lines: readonly DiffLine[]): readonly DiffLine[] {
  const hasNoEnd = (at: number) => lines[at + 1]?.kind === 'remark';
  const isCommon = lines.every(({ kind, text }, at) => !isCode(kind) || text.endsWith('\r') || hasNoEnd(at));
  if (!isCommon) return lines;
  return lines.map((line) => (line.text.endsWith('\r') ? { ...line, text: line.text.slice(0, -1) } : line));
}

export function changedCounts(lines: readonly DiffLine[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { kind } of lines) {
    if (kind === 'added') added++;
    else if (kind === 'removed') removed++;
  }
  return { added, removed };
}
