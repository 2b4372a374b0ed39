/** Where the journal and the trace are kept: a directory of the user's own, never inside a served one. */
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../confine/roots.ts';

/** What is wrong with it, in one line; undefined when it can be used. It is made when it is missing. */
export function whyNotStateDirectory(directory: string, roots: readonly string[]): string | undefined {
  const real = realOf(resolve(directory));
  const around = roots.find((root) => isWithin(real, realOf(resolve(root))));
  if (around !== undefined) return `${directory} lies inside ${around}, where the tools could change it`;
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    const stat = fs.statSync(directory);
    if (!stat.isDirectory()) return `${directory} is not a directory`;
    const uid = process.getuid?.();
    if (uid !== undefined && stat.uid !== uid) return `${directory} belongs to another user`;
    return undefined;
  } catch (error) {
    return `${directory} cannot be used (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** As much of the path as exists, with links resolved. */
function realOf(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), path.slice(above.length));
  }
}
