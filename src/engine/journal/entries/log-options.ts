/** How the journal's lines are stored: where other machines read them, with paths that all machines understand. */
import type { LogOptions, PlannedChanges } from '../../../state/log.ts';
import type { SharedPaths } from '../../../state/state.ts';
import type { Change } from './entry.ts';
import { type Line, lineRecords } from './line.ts';
import { touchedPaths } from './touched-paths.ts';

export function journalLogOptions(paths: SharedPaths | undefined): LogOptions<Line> {
  if (!paths) return lineRecords;
  return {
    ...lineRecords,
    toStored: (line) => withPaths(line, (path) => paths.toShared(path)),
    accept: (value) => withPaths(value as Line, (path) => paths.fromShared(path)),
    plans: (line) => plansOf(line, (path) => paths.toShared(path)),
  };
}

/** What a line plans, or ends. The entry of a command plans nothing: its changes are already done. */
function plansOf(
  { e, did, end, settled, found }: Line,
  toShared: (path: string) => string,
): PlannedChanges | undefined {
  if (e === undefined) return undefined;
  if (end !== undefined) return { part: e, isEnd: true };
  if (settled) return { part: e, paths: settled.map(({ path }) => toShared(path)), isEnd: true };
  return did && !found
    ? { part: e, paths: did.flatMap(touchedPaths).map(toShared), isEnd: false }
    : undefined;
}

function withPaths(line: Line, rename: (path: string) => string): Line {
  if (!line.roots && !line.did && !line.settled) return line;
  return {
    ...line,
    ...(line.roots && { roots: line.roots.map(rename) }),
    ...(line.settled && { settled: line.settled.map((each) => ({ ...each, path: rename(each.path) })) }),
    ...(line.did && { did: line.did.map((change) => renamed(change, rename)) }),
  };
}

function renamed(change: Change, rename: (path: string) => string): Change {
  const path = rename(change.path);
  return change.kind === 'moved' ? { ...change, path, to: rename(change.to) } : { ...change, path };
}
