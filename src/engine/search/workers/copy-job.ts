/** One thread's part of copying many small files into one. */
import { childPath } from '../../confine/scan/child-path.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { type EntryStat, packedStats } from '../../confine/scan/packed-entries.ts';
import type { Copies, CopyTarget } from '../../confine/scan/tree-scanner.ts';
import { readWholeFile, writeAt } from '../../confine/scan/whole-file.ts';
import { errorCode } from '../../error-code.ts';
import { directoryOfUnit, namesOfUnit } from '../queue/file-unit.ts';
import { UnitLoop, type UnitQueue } from '../queue/unit-loop.ts';

/** How many bytes to gather before they are written together. */
const GATHER_BYTES = 512 * 1024;

interface Gathered {
  path: string;
  bytes: Buffer;
  stat: EntryStat;
}

export class FileCopies {
  readonly #cursor: Cursor;
  readonly #target: CopyTarget;
  readonly #units: UnitLoop;
  readonly #paths: string[] = [];
  readonly #offsets: number[] = [];
  readonly #stats: EntryStat[] = [];
  #gathered: Gathered[] = [];
  #gatheredBytes = 0;
  #problem: string | undefined;

  constructor(queue: UnitQueue, cursor: Cursor, target: CopyTarget, overflow: readonly string[]) {
    this.#cursor = cursor;
    this.#target = target;
    this.#units = new UnitLoop(queue, overflow);
  }

  get overflow(): readonly string[] {
    return this.#units.overflow;
  }

  run(): void {
    this.#units.run((unit) => this.#work(unit));
    this.#write();
  }

  copies(): Copies {
    const offsets = Float64Array.from(this.#offsets);
    return { paths: this.#paths, offsets, facts: packedStats(this.#stats), problem: this.#problem };
  }

  /** A unit is a directory and the names of files in it, made by `fileUnit`. */
  #work(unit: string): void {
    const directory = directoryOfUnit(unit);
    if (this.#problem !== undefined || this.#cursor.goTo(directory)) return;
    for (const name of namesOfUnit(unit) ?? []) {
      const read = readWholeFile(this.#cursor, name, this.#room);
      if (!read) continue;
      this.#gathered.push({ path: childPath(directory, name), ...read });
      this.#gatheredBytes += read.bytes.length;
      if (this.#gatheredBytes >= GATHER_BYTES) this.#write();
    }
  }

  get #room(): number {
    const { taken, most } = this.#target;
    return most - Atomics.load(taken, 0) - this.#gatheredBytes;
  }

  #write(): void {
    const gathered = this.#gathered;
    const size = this.#gatheredBytes;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (gathered.length === 0 || this.#problem !== undefined) return;
    const { fd, taken, most } = this.#target;
    const start = Atomics.add(taken, 0, size);
    if (start + size > most) {
      Atomics.sub(taken, 0, size);
      return;
    }
    try {
      const all = Buffer.concat(gathered.map(({ bytes }) => bytes));
      writeAt(fd, all, start);
    } catch (error) {
      this.#problem = errorCode(error);
      return;
    }
    let offset = start;
    for (const { path, bytes, stat } of gathered) {
      this.#paths.push(path);
      this.#offsets.push(offset);
      this.#stats.push(stat);
      offset += bytes.length;
    }
  }
}
