/** Notes as files of the state directory. */
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
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
      const { mtimeMs: at } = await stat(path);
      return { text: await readFile(path, 'utf8'), at };
    } catch {
      return undefined;
    }
  }

  async write(name: string, text: string): Promise<void> {
    const draft = join(this.#directory, `.${name}-${process.pid}`);
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, join(this.#directory, name));
  }
}
