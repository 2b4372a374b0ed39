/** How workspace reads a path: relative to the workspace, without `..`, whatever else it looks like. */
import { sep } from 'node:path';
import { fail, requireShortPath } from '../../engine/index.ts';

/** Why a path is refused by its looks alone. */
export type Refusal = 'parent-segment' | 'absolute' | 'home';

const SEPARATORS = sep === '\\' ? /[\\/]/ : '/';

/** The path as answers show it: `./workspace/a//b` is `a/b`, the workspace itself is `.`. */
export function workspacePath(sent: string): string {
  requireShortPath(sent);
  if (refusalOf(sent) !== undefined) fail({ kind: 'outside', path: sent });
  if (sent === '') fail({ kind: 'bad-path', path: sent, why: 'empty' });
  if (sent.includes('\0')) fail({ kind: 'bad-path', path: sent, why: 'nul' });
  const names = sent.split(SEPARATORS).filter((name) => name !== '' && name !== '.');
  const first = names.findIndex((name) => name !== 'workspace');
  return first < 0 ? '.' : names.slice(first).join('/');
}

/** What counts on any system is refused on every one: a `..\` that is harmless here is still not meant well. */
export function refusalOf(sent: string): Refusal | undefined {
  if (sent.split(/[\\/]/).includes('..')) return 'parent-segment';
  if (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(sent)) return 'absolute';
  return /^~(?:[\\/]|$)/.test(sent) ? 'home' : undefined;
}
