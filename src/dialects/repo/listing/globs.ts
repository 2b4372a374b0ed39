/** What a glob means here: without `/` it is for names at any depth, with one for paths. */
import { type Engine, fail, requireShortGlob, residualGlobs } from '../../../engine/index.ts';
import { goesUp, rootsOf } from '../paths.ts';

/**
 * The glob as globs below `directory`, which is given from the repository's root. A path may be written as
 * from the root or as from the directory.
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
