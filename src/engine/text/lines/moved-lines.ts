/** Finds where the lines of an earlier version of a text are now. */
import { changedLines } from '../diff/diff-lines.ts';
import { type LineIds, numberLines } from '../diff/line-ids.ts';
import { lineCount, linesBetween } from '../diff/text-lines.ts';

/** Lines count from 0. */
export interface MovedLines {
  /** Where an old line is now; undefined if it changed, or if that might be another line with the same text. */
  certain(oldLine: number): number | undefined;
  /** The same, but it may be another line with the same text. */
  likely(oldLine: number): number | undefined;
}

export function movedLines(oldText: string, newText: string): MovedLines {
  const oldLines = linesBetween(oldText, 0, oldText.length);
  const newLines = linesBetween(newText, 0, newText.length);
  const ids = numberLines(oldLines, lineCount(oldLines), newLines, lineCount(newLines));
  const counts = countsOf(ids);
  const likely = new Int32Array(ids.old.length).fill(-1);
  const certain = likely.slice();
  for (const run of keptRuns(ids)) {
    const { from, to } = certainPart(run, ids, counts);
    for (let line = run.from; line < run.to; line++) likely[line] = run.nowFrom + (line - run.from);
    certain.set(likely.subarray(from, to), from);
  }
  const lineIn = (now: Int32Array) => (line: number) => ((now[line] ?? -1) < 0 ? undefined : now[line]);
  return { certain: lineIn(certain), likely: lineIn(likely) };
}

/** Consecutive lines that are consecutive in both texts; the end is exclusive. */
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

/** How often each line occurs in each text. */
interface Counts {
  old: Int32Array;
  new: Int32Array;
}

function countsOf(ids: LineIds): Counts {
  const counts = { old: new Int32Array(ids.distinct), new: new Int32Array(ids.distinct) };
  for (const id of ids.old) counts.old[id]!++;
  for (const id of ids.new) counts.new[id]!++;
  return counts;
}

/**
 * The part of a run from the first to the last line that occurs once in each text; the beginning and the end of both
 * texts count as such lines. Outside of it, the comparison may have paired lines that only look alike.
 */
function certainPart(run: KeptRun, ids: LineIds, counts: Counts): { from: number; to: number } {
  const lines = ids.old.subarray(run.from, run.to);
  const isUnique = (id: number): boolean => counts.old[id] === 1 && counts.new[id] === 1;
  const isStart = run.from === 0 && run.nowFrom === 0;
  const isEnd = run.to === ids.old.length && nowTo(run) === ids.new.length;
  const first = isStart ? 0 : lines.findIndex(isUnique);
  const end = isEnd ? lines.length : lines.findLastIndex(isUnique) + 1;
  const from = first < 0 ? lines.length : first;
  return { from: run.from + from, to: run.from + Math.max(from, end) };
}
