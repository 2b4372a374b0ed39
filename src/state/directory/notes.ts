/** Notes as files in the state directory. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Note, Notes } from '../state.ts';

export class DirectoryNotes implements Notes {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(name: string): Promise<Note | undefined> {
    const path = join(this.#directory, name);
    try {
      return { at: statSync(path).mtimeMs, text: readFileSync(path, 'utf8') };
    } catch {
      return undefined;
    }
  }

  async write(name: string, text: string): Promise<void> {
    const draft = join(this.#directory, `.${name}-${process.pid}`);
    try {
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, join(this.#directory, name));
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }
}
