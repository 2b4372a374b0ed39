/** The temporary file of one atomic write. */
import * as fs from 'node:fs';
import type { Draft } from '../directory/dir.ts';

export class FileDraft implements Draft {
  readonly fd: number;
  readonly #name: string;
  readonly #at: (name: string | Buffer) => string | Buffer;
  #isOpen = true;
  #isPending = true;

  /** `at` gives the path of a name in the directory of the draft. */
  constructor(fd: number, name: string, at: (name: string | Buffer) => string | Buffer) {
    this.fd = fd;
    this.#name = name;
    this.#at = at;
  }

  publish(as: string): void {
    fs.renameSync(this.#at(this.#name), this.#at(as));
    this.#isPending = false;
  }

  publishNew(as: string | Buffer): void {
    fs.linkSync(this.#at(this.#name), this.#at(as));
  }

  closeDescriptor(): void {
    if (this.#isOpen) fs.closeSync(this.fd);
    this.#isOpen = false;
  }

  drop(): void {
    this.closeDescriptor();
    if (!this.#isPending) return;
    this.#isPending = false;
    try {
      fs.unlinkSync(this.#at(this.#name));
    } catch {
      // It is gone already, or the system refuses: the next sweep tries again.
    }
  }
}
