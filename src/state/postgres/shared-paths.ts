/** Paths that all machines of a fleet understand: the name of a workspace, and the path from there. */
import type { SharedPaths } from '../state.ts';

/** A served directory and the name that all replicas know it by. */
export interface Workspace {
  name: string;
  /** Absolute, with all links resolved. */
  real: string;
}

export class WorkspacePaths implements SharedPaths {
  readonly #byName: ReadonlyMap<string, string>;
  /** Inner directories before the directories that contain them. */
  readonly #inside: readonly Workspace[];

  constructor(workspaces: readonly Workspace[]) {
    this.#byName = new Map(workspaces.map(({ name, real }) => [name, real]));
    this.#inside = [...workspaces].sort((a, b) => b.real.length - a.real.length);
  }

  toShared(path: string): string {
    for (const { name, real } of this.#inside) {
      if (path === real) return `=${name}`;
      const above = real === '/' ? '/' : `${real}/`;
      if (path.startsWith(above)) return `=${name}/${path.slice(above.length)}`;
    }
    return path;
  }

  fromShared(path: string): string {
    if (!path.startsWith('=')) return path;
    const end = path.indexOf('/');
    const real = this.#byName.get(end < 0 ? path.slice(1) : path.slice(1, end));
    if (real === undefined) return path;
    if (end < 0) return real;
    return real === '/' ? path.slice(end) : real + path.slice(end);
  }
}
