/**
 * The directory of a hidden name, as an operation on that name sees it: nothing is there, and nothing can be put
 * there. So every operation answers as it does for a name that is missing, in its own words.
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

  again(): Dir {
    return this.#dir.again();
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

/** As the system says it of a name that is not there. */
function missing(): never {
  throw Object.assign(new Error('no such file or directory'), { code: 'ENOENT' });
}
