/** How workspace reads a path: relative to the workspace, and never with `..`. */
import { fail, requireShortPath } from '../../engine/index.ts';
import { goesUp, isFromHome, namesOf } from '../path-forms.ts';

/** Why a path is refused by its form alone, without a look at the disk. */
export type PathRefusal = 'parent-segment' | 'absolute' | 'home';

/** The path as results show it: `./workspace/a//b` is `a/b`, the workspace itself is `.`. */
export function workspacePath(sent: string): string {
  requireShortPath(sent);
  if (refusalOf(sent) !== undefined) fail({ kind: 'outside', path: sent });
  if (sent === '') fail({ kind: 'bad-path', path: sent, why: 'empty' });
  if (sent.includes('\0')) fail({ kind: 'bad-path', path: sent, why: 'nul' });
  const names = namesOf(sent);
  const first = names.findIndex((name) => name !== 'workspace');
  return first < 0 ? '.' : names.slice(first).join('/');
}

/** Refuses on every system what leads outside on any of them. */
export function refusalOf(sent: string): PathRefusal | undefined {
  if (goesUp(sent)) return 'parent-segment';
  if (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(sent)) return 'absolute';
  return isFromHome(sent) ? 'home' : undefined;
}
