/** The folders of a state directory: made when they are first needed, for their owner alone. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';

export type StateFolder = 'store' | 'aside' | 'leaving' | 'forgetting';

export class StateFolders {
  readonly directory: string;
  readonly #made = new Set<string>();

  constructor(directory: string) {
    this.directory = directory;
  }

  pathOf(name: StateFolder): string {
    return join(this.directory, name);
  }

  make(name: StateFolder): string {
    const path = this.pathOf(name);
    if (!this.#made.has(path)) makeDirectory(path);
    this.#made.add(path);
    return path;
  }

  /** Somebody has removed them: they are made again. */
  forget(): void {
    this.#made.clear();
  }
}

/** None when there is no such folder. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
