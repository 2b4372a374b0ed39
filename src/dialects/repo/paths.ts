/** How repo reads a path: relative to the repository, never with `..`, and absolute only if it leads inside. */
import { isAbsolute } from 'node:path';
import { type Engine, fail, requireShortPath } from '../../engine/index.ts';
import { goesUp, isFromHome, namesOf } from '../path-forms.ts';

/** The path relative to the repository's root; empty for the root itself. Fails for a path that leads outside. */
export async function pathInside(engine: Engine, sent: string): Promise<string> {
  requireShortPath(sent);
  if (goesUp(sent) || isFromHome(sent)) fail({ kind: 'outside', path: sent });
  const names = namesOf(sent);
  if (!isAbsolute(sent)) return names.join('/');
  for (const root of await rootsOf(engine)) {
    const above = namesOf(root);
    if (above.every((name, index) => names[index] === name)) return names.slice(above.length).join('/');
  }
  return fail({ kind: 'outside', path: sent });
}

/** The repository's root as the command line names it, and its real path. */
export async function rootsOf(engine: Engine): Promise<string[]> {
  const { path: real } = await engine.files.check('.', 'read');
  return [engine.roots[0]!.path, real];
}
