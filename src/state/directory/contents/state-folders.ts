/** The folders of a state directory, which are created when first needed and belong to their owner alone. */
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

  /** Forgets which folders exist, because somebody removed one: `make` creates them again. */
  forget(): void {
    this.#made.clear();
  }
}

/** The names in a folder; none when it does not exist. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
