/**
 * Scans whole trees and copies files of them, so that callers can compare a tree with its earlier state. The main
 * thread does what takes only a moment; only the rest is worth waking the search threads for.
 */
import type { Dir } from '../confine/directory/dir.ts';
import { type Cursor, openCursor, scanRootOf } from '../confine/scan/cursor.ts';
import { unpacked } from '../confine/scan/packed-entries.ts';
import type {
  Copies,
  CopyTarget,
  DirectoryFiles,
  ScanOptions,
  TreeScan,
  TreeScanner,
} from '../confine/scan/tree-scanner.ts';
import { fileUnits } from './queue/file-unit.ts';
import type { UnitQueue } from './queue/unit-loop.ts';
import { FileCopies } from './workers/copy-job.ts';
import type { ThreadResult } from './workers/jobs.ts';
import type { JobTemplate } from './workers/run-job.ts';
import { Scan } from './workers/scan-job.ts';

/** How long the main thread works before it leaves the rest to the search threads. */
const MAIN_THREAD_MS = 8;
/** The search threads list directories with more names: the main thread could not stop in the middle of one. */
const MOST_MAIN_THREAD_NAMES = 2048;

/** Runs a job on these units in the search threads, until all work is done. */
export type RunUnits = (units: readonly string[], job: JobTemplate) => Promise<ThreadResult[]>;

/** Runs a part of the work on the main thread. */
function runOnMainThread<P extends { run(): void }>(dir: Dir, partOn: (cursor: Cursor) => P): P {
  const cursor = openCursor(scanRootOf(dir));
  try {
    const part = partOn(cursor);
    part.run();
    return part;
  } finally {
    cursor.close();
  }
}

export class TreeThreads implements TreeScanner {
  readonly #run: RunUnits;
  readonly #mainThreadMs: number;

  constructor(run: RunUnits, mainThreadMs: number = MAIN_THREAD_MS) {
    this.#run = run;
    this.#mainThreadMs = mainThreadMs;
  }

  async scan(dir: Dir, options: ScanOptions): Promise<TreeScan> {
    const own = new MainThreadUnits([''], this.#mainThreadMs);
    const part = runOnMainThread(dir, (cursor) => new Scan(own, cursor, options, [], MOST_MAIN_THREAD_NAMES));
    const left = { ...options, mostEntries: options.mostEntries - own.files };
    const others = own.isEnded
      ? []
      : await this.#rest([...own.left, ...part.tooLarge], { kind: 'scan', root: scanRootOf(dir), ...left });
    const count = own.files + others.reduce((sum, { files }) => sum + files, 0);
    if (count > options.mostEntries) return { directories: [], unread: [], count, tooMany: true };
    const scanned = [part.packed(), ...others.flatMap(({ scanned }) => scanned ?? [])];
    const unread = scanned.flatMap((each) => each.unread);
    return { directories: scanned.flatMap(unpacked), unread, count, tooMany: false };
  }

  async copy(dir: Dir, files: readonly DirectoryFiles[], target: CopyTarget): Promise<Copies[]> {
    const units = files.flatMap(({ path, names }) => fileUnits(path, names));
    const own = new MainThreadUnits(units, this.#mainThreadMs);
    const part = runOnMainThread(dir, (cursor) => new FileCopies(own, cursor, target, []));
    const others = await this.#rest(own.left, { kind: 'copy', root: scanRootOf(dir), target });
    return [part.copies(), ...others.flatMap(({ copies }) => copies ?? [])];
  }

  #rest(units: readonly string[], job: JobTemplate): Promise<ThreadResult[]> {
    return units.length === 0 ? Promise.resolve([]) : this.#run(units, job);
  }
}

/** The units that the main thread works on, until its time is up. */
class MainThreadUnits implements UnitQueue {
  left: string[];
  files = 0;
  isEnded = false;
  readonly #until: number;

  constructor(units: readonly string[], ms: number) {
    this.#until = performance.now() + ms;
    this.left = [...units].reverse();
  }

  get isOver(): boolean {
    return this.isEnded || performance.now() >= this.#until;
  }

  take(): string | undefined {
    return this.left.pop();
  }

  push(units: readonly string[]): readonly string[] {
    for (let i = units.length - 1; i >= 0; i--) this.left.push(units[i]!);
    return [];
  }

  addFile(): void {
    this.files++;
  }

  end(): void {
    this.isEnded = true;
  }
}
