/**
 * Tracks how much is in a state directory, so that all processes know it without reading every content.
 *
 * A process that adds something appends its size to one file. A process that has measured the directory appends the
 * sum, and the length of the file when it began to measure (`=SUM@LENGTH`); sizes after that position count on top.
 * The sum may be too high, because removals are not recorded: so the journal measures again before it drops entries.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import { storedPaths } from './listing.ts';
import { sizeOnDisk } from './whole-tree.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = fs.constants;
/** A ledger longer than this is emptied before the next measurement. */
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

  /** Bytes in the directory by the ledger; never too low. */
  sum(): number {
    const { size } = fs.fstatSync(this.#open());
    if (this.#sum !== undefined && size === this.#offset) return this.#sum;
    const added = this.#sum === undefined || size < this.#offset ? undefined : this.#linesFrom(this.#offset);
    if (added?.every((line) => !line.startsWith('='))) this.#sum = sumOf(added, this.#sum);
    else this.#readAll();
    return this.#sum ?? this.measure();
  }

  /** Measures everything. `alone` promises that no other process measures at the same time. */
  measure(alone = false): number {
    const fd = this.#open();
    if (alone && fs.fstatSync(fd).size > LONGEST) fs.ftruncateSync(fd);
    const { size } = fs.fstatSync(fd);
    let sum = 0;
    for (const { path } of storedPaths(this.#directory)) sum += sizeOnDisk(path);
    // Begin with a line break: a process that was killed may have left half a line.
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

  /** The complete lines from an offset on; moves `#offset` to their end. */
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
