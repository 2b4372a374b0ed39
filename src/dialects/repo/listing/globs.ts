/** How repo reads a glob: without `/` it matches names at any depth, with one it matches paths. */
import { type Engine, fail, requireShortGlob, residualGlobs } from '../../../engine/index.ts';
import { goesUp } from '../../path-forms.ts';
import { rootsOf } from '../paths.ts';

/**
 * Rewrites the glob as globs below `directory`, which is relative to the repository's root. The glob itself may be
 * relative to the root or to the directory.
 */
export async function globsBelow(engine: Engine, glob: string, directory: string): Promise<string[]> {
  requireShortGlob(glob);
  if (goesUp(glob)) fail({ kind: 'outside', path: glob });
  if (glob === '') fail({ kind: 'bad-glob', pattern: glob, reason: 'it is empty' });
  if (!glob.includes('/')) return residualGlobs(glob, '').map((name) => `**/${name}`);
  const path = await fromRoot(engine, glob);
  const below = residualGlobs(path, directory);
  return path === glob && directory !== '' ? [path, ...below] : below;
}

async function fromRoot(engine: Engine, glob: string): Promise<string> {
  if (!glob.startsWith('/')) return glob;
  for (const root of await rootsOf(engine)) {
    const above = root.endsWith('/') ? root : `${root}/`;
    if (glob.startsWith(above)) return glob.slice(above.length);
  }
  return fail({ kind: 'outside', path: glob });
}
