/** How workspace reads a path: relative to the workspace, and never with `..`. */
import { sep } from 'node:path';
import { fail, requireShortPath } from '../../engine/index.ts';

/** Why a path is refused by its form alone, without a look at the disk. */
export type PathRefusal = 'parent-segment' | 'absolute' | 'home';

const SEPARATORS = sep === '\\' ? /[\\/]/ : '/';

/** The path as results show it: `./workspace/a//b` is `a/b`, the workspace itself is `.`. */
export function workspacePath(sent: string): string {
  requireShortPath(sent);
  if (refusalOf(sent) !== undefined) fail({ kind: 'outside', path: sent });
  if (sent === '') fail({ kind: 'bad-path', path: sent, why: 'empty' });
  if (sent.includes('\0')) fail({ kind: 'bad-path', path: sent, why: 'nul' });
  const names = sent.split(SEPARATORS).filter((name) => name !== '' && name !== '.');
  const first = names.findIndex((name) => name !== 'workspace');
  return first < 0 ? '.' : names.slice(first).join('/');
}

/** Refuses on every system what leads outside on any of them: `..\` too, although it is only a name on Linux. */
export function refusalOf(sent: string): PathRefusal | undefined {
  if (sent.split(/[\\/]/).includes('..')) return 'parent-segment';
  if (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(sent)) return 'absolute';
  return /^~(?:[\\/]|$)/.test(sent) ? 'home' : undefined;
}
