/**
 * Stands in for the directory of a hidden name: an operation on that name finds nothing there, and can put nothing
 * there. So each operation answers in the same words as for a name that is missing.
 */
import { type Failure, fail } from '../../failures.ts';
import type { Dir, Draft, Entered, Entry, OpenFile, Stat } from '../directory/dir.ts';

export class HiddenDir implements Dir {
  readonly fd: number | undefined = undefined;
  readonly #dir: Dir;
  readonly #refusal: Failure;

  constructor(dir: Dir, shown: string) {
    this.#dir = dir;
    this.#refusal = { kind: 'withheld', path: shown, action: 'create' };
  }

  get identity(): string {
    return this.#dir.identity;
  }

  get handlePath(): string {
    return this.#refuse();
  }

  ancestors(): string[] {
    return this.#dir.ancestors();
  }

  hasAbove(levels: number, name: string): boolean {
    return levels > 0 && this.#dir.hasAbove(levels, name);
  }

  readAbove(levels: number, ...names: [string, ...string[]]): string | undefined {
    return levels > 0 ? this.#dir.readAbove(levels, ...names) : undefined;
  }

  stat(): Stat {
    return this.#dir.stat();
  }

  lstat(): Stat | undefined {
    return undefined;
  }

  readlink(): string {
    return missing();
  }

  readlinkRaw(): Buffer {
    return missing();
  }

  spelled(name: string): string {
    return name;
  }

  enter(): Entered {
    return 'missing';
  }

  entries(): Entry[] {
    return this.#dir.entries();
  }

  rawNames(): Buffer[] {
    return this.#dir.rawNames();
  }

  rawNameBatches(): Iterable<string[]> {
    return this.#dir.rawNameBatches();
  }

  open(): OpenFile {
    return missing();
  }

  mayWrite(): boolean {
    return missing();
  }

  mayChangeEntries(): boolean {
    return false;
  }

  draft(): Draft {
    return this.#refuse();
  }

  mkdir(): void {
    this.#refuse();
  }

  rename(): void {
    missing();
  }

  link(): void {
    missing();
  }

  symlink(): void {
    this.#refuse();
  }

  unlink(): void {
    missing();
  }

  discard(names: readonly string[]): Promise<void> {
    return this.#dir.discard(names);
  }

  rmdir(): void {
    missing();
  }

  enterRaw(): Dir | undefined {
    return missing();
  }

  duplicate(): Dir {
    return this.#dir.duplicate();
  }

  flush(): Promise<void> {
    return this.#dir.flush();
  }

  close(): void {
    this.#dir.close();
  }

  #refuse(): never {
    return fail(this.#refusal);
  }
}

/** Throws what the system throws for a name that does not exist. */
function missing(): never {
  throw Object.assign(new Error('no such file or directory'), { code: 'ENOENT' });
}
