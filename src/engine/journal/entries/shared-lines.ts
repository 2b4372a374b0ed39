/** How the journal's lines are kept where other machines read them: with paths that all of them understand. */
import type { LogOptions } from '../../../state/log.ts';
import type { SharedPaths } from '../../../state/state.ts';
import type { Change } from './entry.ts';
import { type Line, lineRecords } from './line.ts';

export function linesOf(paths: SharedPaths | undefined): LogOptions<Line> {
  if (!paths) return lineRecords;
  return {
    ...lineRecords,
    toStored: (line) => withPaths(line, (path) => paths.toShared(path)),
    accept: (value) => withPaths(value as Line, (path) => paths.fromShared(path)),
  };
}

function withPaths(line: Line, rename: (path: string) => string): Line {
  if (!line.roots && !line.did) return line;
  return {
    ...line,
    ...(line.roots && { roots: line.roots.map(rename) }),
    ...(line.did && { did: line.did.map((change) => renamed(change, rename)) }),
  };
}

function renamed(change: Change, rename: (path: string) => string): Change {
  const path = rename(change.path);
  return change.kind === 'moved' ? { ...change, path, to: rename(change.to) } : { ...change, path };
}
