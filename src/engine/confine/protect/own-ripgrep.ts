/**
 * Finds ripgrep in the places where Node looks for packages, without running anything of theirs.
 *
 * The search is our own, so that every place it depends on is known: a client that could change a link on the way, or
 * fill a place that comes before the one where ripgrep is, would choose the program that the next start runs.
 */
import { basename, dirname } from 'node:path';
import { statAt } from '../probe-path.ts';
import { isWithin } from '../roots.ts';
import { type FollowedPath, followPath, type OwnLink } from './followed-path.ts';

export interface FoundRipgrep {
  /** The directories of the packages. */
  directories: string[];
  /** The program, if a link leads to it outside of its package. */
  files: string[];
  links: OwnLink[];
  /** Places where ripgrep is not, although the next start would look there too. */
  missing: string[];
  program: string | undefined;
}

const PACKAGES = 'node_modules';
const SCOPE = '@vscode';

/** The package keeps the program in a package of its own for each platform. `bundles`: a path without links. */
export function findRipgrep(bundles: string): FoundRipgrep {
  const found: FoundRipgrep = { directories: [], files: [], links: [], missing: [], program: undefined };
  const main = nearest('ripgrep', bundles, found);
  const own = main && nearest(`ripgrep-${process.platform}-${process.arch}`, main, found);
  if (own === undefined) return found;
  const program = follow(followPath(own, ['bin', process.platform === 'win32' ? 'rg.exe' : 'rg']), found);
  if (statAt(program)?.isFile()) found.program = program;
  if (!isWithin(program, own)) (found.program === undefined ? found.missing : found.files).push(program);
  return found;
}

/** The directory of a package, as Node finds it from `from`. A broken package counts, because it could be repaired. */
function nearest(name: string, from: string, found: FoundRipgrep): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    if (basename(at) !== PACKAGES) {
      const directory = follow(followPath(at, [PACKAGES, SCOPE, name]), found);
      if (statAt(directory)?.isDirectory()) {
        found.directories.push(directory);
        return directory;
      }
      found.missing.push(directory);
    }
    if (dirname(at) === at) return undefined;
  }
}

function follow({ links, end }: FollowedPath, found: FoundRipgrep): string {
  for (const link of links) {
    if (!found.links.some(({ path }) => path === link.path)) found.links.push(link);
  }
  return end;
}
