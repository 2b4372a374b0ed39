/**
 * How much is in a state directory, which all processes that share it know without reading every content.
 *
 * A process that adds something appends its size to one file; one that has measured all of it appends the sum, and how
 * long the file was when the measuring began (`=SUM@LENGTH`). What was added since counts on top. The sum may be too
 * high, for nobody says what goes: so it is measured again before any entry is given up.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import { storedPaths } from './listing.ts';
import { sizeOnDisk } from './whole-tree.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = fs.constants;
/** A ledger that has grown to this begins again. */
const LONGEST = 256 * 1024;
const MEASURED = /^=(\d+)@(\d+)$/;

export class Ledger {
  readonly #directory: string;
  #fd: number | undefined;
  #sum: number | undefined;
  /** How far the ledger was read. */
  #offset = 0;

  constructor(stateDirectory: string) {
    this.#directory = stateDirectory;
  }

  add(bytes: number): void {
    if (bytes > 0) fs.writeSync(this.#open(), `${bytes}\n`);
  }

  /** Bytes in the directory, as far as is known; never too low. */
  sum(): number {
    const { size } = fs.fstatSync(this.#open());
    if (this.#sum !== undefined && size === this.#offset) return this.#sum;
    const added = this.#sum === undefined || size < this.#offset ? undefined : this.#linesFrom(this.#offset);
    if (added?.every((line) => !line.startsWith('='))) this.#sum = sumOf(added, this.#sum);
    else this.#readAll();
    return this.#sum ?? this.measure();
  }

  /** Measures everything. `alone`: no other process measures at this moment. */
  measure(alone = false): number {
    const fd = this.#open();
    if (alone && fs.fstatSync(fd).size > LONGEST) fs.ftruncateSync(fd);
    const { size } = fs.fstatSync(fd);
    let sum = 0;
    for (const { path } of storedPaths(this.#directory)) sum += sizeOnDisk(path);
    // On a line of its own, whatever a process that was killed has left.
    fs.writeSync(fd, `\n=${sum}@${size}\n`);
    this.#readAll();
    return this.#sum ?? sum;
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#sum = undefined;
    this.#offset = 0;
  }

  #readAll(): void {
    const [, sum, length] =
      this.#linesFrom(0)
        .findLast((line) => MEASURED.test(line))
        ?.match(MEASURED) ?? [];
    this.#sum = sum === undefined ? undefined : sumOf(this.#linesFrom(Number(length)), Number(sum));
  }

  /** Whole lines; the offset moves to their end. */
  #linesFrom(offset: number): string[] {
    const fd = this.#open();
    const bytes = Buffer.alloc(Math.max(fs.fstatSync(fd).size - offset, 0));
    const got = fs.readSync(fd, bytes, 0, bytes.length, offset);
    const end = bytes.subarray(0, got).lastIndexOf(10) + 1;
    this.#offset = offset + end;
    return bytes.toString('latin1', 0, end).split('\n');
  }

  #open(): number {
    if (this.#fd !== undefined && fs.fstatSync(this.#fd).nlink > 0) return this.#fd;
    this.close();
    makeDirectory(this.#directory);
    this.#fd = fs.openSync(join(this.#directory, 'kept'), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    return this.#fd;
  }
}

function sumOf(lines: readonly string[], sum = 0): number {
  return lines.reduce((all, line) => all + (/^\d+$/.test(line) ? Number(line) : 0), sum);
}
