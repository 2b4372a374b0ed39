/** Resolves the links in a path, which need not exist. */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The path with the links in its existing part resolved. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), path.slice(above.length));
  }
}
