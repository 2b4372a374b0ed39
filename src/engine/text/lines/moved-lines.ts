/** Tells where the lines of an earlier version of a text stand now. */
import { changedLines } from '../diff/diff-lines.ts';
import { type LineIds, lineCount, linesBetween, numberLines } from '../diff/line-ids.ts';

/** The line, from 0, at which an old line stands now; undefined where it changed, or might be another of its like. */
export type MovedLines = (oldLine: number) => number | undefined;

export function movedLines(oldText: string, newText: string): MovedLines {
  const oldLines = linesBetween(oldText, 0, oldText.length);
  const newLines = linesBetween(newText, 0, newText.length);
  const ids = numberLines(oldLines, lineCount(oldLines), newLines, lineCount(newLines));
  const isUnique = uniqueLines(ids);
  const now = new Int32Array(ids.old.length).fill(-1);
  const runs = keptRuns(ids);
  for (const [index, run] of runs.entries()) {
    if (!isCertain(run, ids, isUnique)) continue;
    const above = gapIds(runs[index - 1], run, ids);
    const below = gapIds(run, runs[index + 1], ids);
    let { from, to } = run;
    while (from < to && !isUnique(ids.old[from]!) && above.has(ids.old[from]!)) from++;
    while (to > from && !isUnique(ids.old[to - 1]!) && below.has(ids.old[to - 1]!)) to--;
    for (let line = from; line < to; line++) now[line] = run.nowFrom + (line - run.from);
  }
  return (line) => (now[line] === undefined || now[line] < 0 ? undefined : now[line]);
}

/** Lines that follow each other in both texts; the end is exclusive. */
interface KeptRun {
  from: number;
  to: number;
  nowFrom: number;
}

function keptRuns(ids: LineIds): KeptRun[] {
  const changed = changedLines(ids);
  const runs: KeptRun[] = [];
  let now = 0;
  for (let line = 0; line < ids.old.length; line++) {
    if (changed.old[line] === 1) continue;
    while (changed.new[now] === 1) now++;
    const last = runs.at(-1);
    if (last !== undefined && last.to === line && nowTo(last) === now) last.to++;
    else runs.push({ from: line, to: line + 1, nowFrom: now });
    now++;
  }
  return runs;
}

function nowTo({ from, to, nowFrom }: KeptRun): number {
  return nowFrom + (to - from);
}

/** Whether a line stands once in the old text and once in the new one. */
function uniqueLines(ids: LineIds): (id: number) => boolean {
  const old = new Int32Array(ids.distinct);
  const now = new Int32Array(ids.distinct);
  for (const id of ids.old) old[id]!++;
  for (const id of ids.new) now[id]!++;
  return (id) => old[id] === 1 && now[id] === 1;
}

/**
 * A run is certain when it holds a line that stands once in either text, or begins where both texts begin, or ends
 * where both end: otherwise the comparison may have paired lines that only look alike.
 */
function isCertain(run: KeptRun, ids: LineIds, isUnique: (id: number) => boolean): boolean {
  if (run.from === 0 && run.nowFrom === 0) return true;
  if (run.to === ids.old.length && nowTo(run) === ids.new.length) return true;
  return ids.old.subarray(run.from, run.to).some(isUnique);
}

/** The changed lines between two runs. One of these that is like the edge of a run may be the one that was kept. */
function gapIds(above: KeptRun | undefined, below: KeptRun | undefined, ids: LineIds): Set<number> {
  return new Set([
    ...ids.old.subarray(above?.to ?? 0, below?.from ?? ids.old.length),
    ...ids.new.subarray(above === undefined ? 0 : nowTo(above), below?.nowFrom ?? ids.new.length),
  ]);
}
